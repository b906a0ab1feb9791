import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { siteDiagram } from './site-diagram';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('SiteDiagram', siteDiagram);
  },
} satisfies Theme;
