import { receiver } from '../../receiver';

export const POST = (request: Request) => receiver.fetch(request);
