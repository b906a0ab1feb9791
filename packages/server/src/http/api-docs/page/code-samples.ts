import type { Component, ImmutableMap, Node, Plugin, System } from './system';

/** An entry of an operation's `x-codeSamples`. */
interface CodeSample {
  /** The language, as the highlighter names it. */
  lang: string;
  /** How the sample is called; the language by default. */
  label?: string;
  source: string;
}

interface ParametersProps {
  operation: ImmutableMap;
}

/** Shows one sample at a time, chosen with a button for each. */
function createCodeSamples({ React, getComponent }: System): Component<{ samples: CodeSample[] }> {
  const h = React.createElement;
  return function CodeSamples({ samples }): Node {
    const [selected, select] = React.useState(0);
    const HighlightCode = getComponent('HighlightCode', true);
    const sample = samples[selected] ?? samples[0];
    if (sample === undefined) return null;
    return h(
      'div',
      { className: 'opblock-section code-samples' },
      h('div', { className: 'opblock-section-header' }, h('h4', null, 'Code samples')),
      h(
        'div',
        { className: 'code-samples-body' },
        h(
          'div',
          { className: 'code-samples-choice' },
          ...samples.map(({ lang, label = lang }, index) =>
            h(
              'button',
              {
                key: label,
                type: 'button',
                className: 'btn',
                'aria-pressed': index === selected,
                onClick: () => select(index),
              },
              label,
            ),
          ),
        ),
        h(
          HighlightCode,
          { language: toHighlighterName(sample.lang), canCopy: true },
          sample.source,
        ),
      ),
    );
  };
}

const highlighterNames: Record<string, string> = {
  curl: 'bash',
  shell: 'bash',
  typescript: 'javascript',
  ts: 'javascript',
  js: 'javascript',
};

/** Returns the name of a language in the highlighter, which knows a few only. */
function toHighlighterName(lang: string): string {
  const name = lang.toLowerCase();
  return highlighterNames[name] ?? name;
}

/** Shows the `x-codeSamples` of an operation above its parameters. */
export function codeSamples(): Plugin {
  return {
    wrapComponents: {
      parameters: (original: unknown, system: System): Component<ParametersProps> => {
        const { createElement: h, Fragment } = system.React;
        const CodeSamples = createCodeSamples(system);
        return (props) => {
          const samples = props.operation.get('x-codeSamples') as ImmutableMap | undefined;
          return h(
            Fragment,
            null,
            samples && h(CodeSamples, { samples: samples.toJS() as CodeSample[] }),
            h(original, props),
          );
        };
      },
    },
  };
}
