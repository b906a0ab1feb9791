import { type Theme, useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted, watch } from 'vue';
import { siteDiagram } from './site-diagram';
import './style.css';

/** The home page and the one for what does not exist have no landmark for their content. */
function markMain(): void {
  const content = document.querySelector('#VPContent');
  if (content?.querySelector('main') === null) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('SiteDiagram', siteDiagram);
  },
  setup() {
    const { page } = useData();
    onMounted(markMain);
    watch(page, markMain, { flush: 'post' });
  },
} satisfies Theme;
