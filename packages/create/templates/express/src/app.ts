import express from 'express';
import { receiver } from './receiver';

/** The routes of the application. */
export const app = express();
// Before express.json(): the signature is of the body as it was sent.
app.post('/webhooks', receiver.node);
