import { tempFile } from '../helpers/temp-folder';
import { describeOperations } from './operations';

describeOperations(async () => tempFile());
