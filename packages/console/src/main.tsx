import './ui/base.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router';
import { consoleUrl } from './kernel/location';

// Browsers ask for a relative one again at each address that a page takes.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
if (icon !== null) icon.href = new URL('favicon.svg', consoleUrl).href;

const element = document.getElementById('root');
if (element === null) throw new Error('The page has no element for the console.');
createRoot(element).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
