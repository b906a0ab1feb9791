import type { Component, ImmutableMap, Plugin, System } from './system';

interface OperationPathProps {
  operationProps: ImmutableMap;
  /** Where the operation is in the document, such as `paths`, `/v1/orders`, `get`. */
  specPath: Iterable<string>;
}

/**
 * Marks operations that are not part of the API specification, and removes the link inside the button of each operation: a
 * control must not contain another. The button itself changes the URL.
 */
export function operationPath(): Plugin {
  return {
    wrapComponents: {
      OperationSummaryPath: (original: unknown, system: System): Component<OperationPathProps> => {
        const { createElement: h, Fragment } = system.React;
        return (props) => {
          const operationProps = props.operationProps.set('isDeepLinkingEnabled', false);
          // The properties have no operation until it is opened.
          const document = system.specSelectors.specJson();
          const isExtension = document.getIn([...props.specPath, 'x-extension']) === true;
          return h(
            Fragment,
            null,
            h(original, { ...props, operationProps }),
            isExtension && h('span', { className: 'extension-mark' }, 'x-extension'),
          );
        };
      },
    },
  };
}
