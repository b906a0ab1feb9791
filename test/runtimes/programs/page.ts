/** The script of a page: defines the functions that the test calls. */
import { callService } from './call-the-service';
import { verifyDeliveries, verifySync } from './verify-deliveries';

Object.assign(globalThis, { callService, verifyDeliveries, verifySync });
