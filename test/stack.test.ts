import { startSandbox } from '../sandbox/main.ts';
import { stackSuite } from './stack/suite.ts';

stackSuite('the sandbox in the place of the stack', async () => {
  const sandbox = await startSandbox({});
  return { url: sandbox.url, token: sandbox.tokens.viewer, close: () => sandbox.close() };
});
