import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let count = 0;

/** Draws a diagram of Mermaid in the colours of the page. Without scripts, its code is shown. */
export const siteDiagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const code = decodeURIComponent(props.code);
    const drawing = ref('');
    async function draw(): Promise<void> {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? 'dark' : 'neutral',
        fontFamily: 'inherit',
      });
      count += 1;
      const { svg } = await mermaid.render(`diagram-${count}`, code);
      drawing.value = svg;
    }
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      drawing.value === ''
        ? h('pre', { class: 'diagram', tabindex: 0 }, code)
        : h('div', { class: 'diagram', tabindex: 0, innerHTML: drawing.value });
  },
});
