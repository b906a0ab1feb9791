/** The script of a page: hands the test what it may call there. */
import { callTheService } from './call-the-service';
import { verifyDeliveries, verifyWithoutPromise } from './verify-deliveries';

Object.assign(globalThis, { callTheService, verifyDeliveries, verifyWithoutPromise });
