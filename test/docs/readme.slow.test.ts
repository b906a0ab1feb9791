import { describeReadmes, isFirst } from './describe-readmes';
import { readReadmes } from './snippets';

describeReadmes((await readReadmes()).filter((readme) => !isFirst(readme)));
