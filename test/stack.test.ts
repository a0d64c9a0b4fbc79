import { FLAVOUR_NAMES } from '../sandbox/grafana/flavours.ts';
import { startSandbox } from '../sandbox/main.ts';
import { stackSuite } from './stack/suite.ts';

for (const flavour of FLAVOUR_NAMES) {
  stackSuite(`the sandbox as Grafana ${flavour}`, async () => {
    const sandbox = await startSandbox({ flavour });
    return { url: sandbox.url, token: sandbox.tokens.viewer, close: () => sandbox.close() };
  });
}
