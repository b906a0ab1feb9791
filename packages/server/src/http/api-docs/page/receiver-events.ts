import type { Component, Plugin, System } from './system';

/** Names the part with the events after what they are. Swagger UI calls it "Webhooks", which is also a tag. */
export function receiverEvents(): Plugin {
  return {
    wrapComponents: {
      Webhooks: (original: unknown, { React }: System): Component<object> => {
        const { createElement: h } = React;
        return (props) =>
          h(
            'section',
            { className: 'receiver-events' },
            h('h2', null, 'Events that your receiver gets'),
            h(
              'p',
              null,
              'The service sends these requests to the URL of each webhook, so they cannot be tried here.',
            ),
            h(original, props),
          );
      },
    },
  };
}
