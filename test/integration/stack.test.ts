import { describe, test } from 'vitest';
import { stackSuite } from '../stack/suite.ts';

// A Grafana with the provisioning of testdata/ and the sample app: `docker compose up`, or by hand (testdata/README.md).
const { IT_GRAFANA_URL: url, IT_GRAFANA_TOKEN: token } = process.env;

if (url && token) stackSuite(url, async () => ({ url, token, close: async () => {} }));
else {
  describe('a real stack', () => {
    test.skip('set IT_GRAFANA_URL and IT_GRAFANA_TOKEN to run this suite against it', () => {});
  });
}
