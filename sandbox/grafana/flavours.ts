export const FLAVOUR_NAMES = ['9.5', '10.1', '12', '13'] as const;
export type FlavourName = (typeof FLAVOUR_NAMES)[number];

/** In what the versions of Grafana differ, as far as a gateway meets it. The facade was recorded from 10.1. */
export interface Flavour {
  /** As /api/health and the frontend settings say it. */
  version: string;
  /** `"extra":null` in refusals of a credential: 10.1 alone. */
  extra: boolean;
  /** Refusals carry `messageId` and `statusCode`: since the broker of 10. */
  messageIds: boolean;
  /** Another X-Grafana-Org-Id than the token's is 401: since 10.2. */
  refusesOtherOrg: boolean;
  /** The health of a datasource of an unknown uid. */
  unknownHealth: 404 | 500;
  /** Loki has a health check: since 10.2. */
  lokiHealth: boolean;
  /** Routes by number: gone in 13. */
  numericIds: boolean;
  /** Paths that the Loki plugin passes on, by their beginning. */
  lokiResources: readonly string[];
  /** A query's error in ds/query keeps the datasource's own status and says whose it is. */
  errorSource: boolean;
  /** `/apis` and the namespace in the frontend settings: since 12. */
  apis: readonly string[];
}

const OLD_LOKI = ['labels?', 'label/', 'series?', 'index/stats?'];
const NEW_LOKI = [
  ...OLD_LOKI,
  'index/volume?',
  'index/volume_range?',
  'patterns?',
  'detected_labels?',
  'detected_fields?',
  'detected_field/',
  'drilldown-limits?',
];

// Sources: Grafana's code and documentation of those versions and answers seen of them; for 10.1 recorded ones.
export const FLAVOURS: Record<FlavourName, Flavour> = {
  '9.5': {
    version: '9.5.21',
    extra: false,
    messageIds: false,
    refusesOtherOrg: false,
    unknownHealth: 500,
    lokiHealth: false,
    numericIds: true,
    lokiResources: OLD_LOKI,
    errorSource: false,
    apis: [],
  },
  '10.1': {
    version: '10.1.0-pre',
    extra: true,
    messageIds: true,
    refusesOtherOrg: false,
    unknownHealth: 500,
    lokiHealth: false,
    numericIds: true,
    lokiResources: OLD_LOKI,
    errorSource: false,
    apis: [],
  },
  '12': {
    version: '12.1.1',
    extra: false,
    messageIds: true,
    refusesOtherOrg: true,
    unknownHealth: 404,
    lokiHealth: true,
    numericIds: true,
    lokiResources: NEW_LOKI,
    errorSource: true,
    apis: ['v1beta1', 'v2beta1'],
  },
  '13': {
    version: '13.3.1',
    extra: false,
    messageIds: true,
    refusesOtherOrg: true,
    unknownHealth: 404,
    lokiHealth: true,
    numericIds: false,
    lokiResources: NEW_LOKI,
    errorSource: true,
    apis: ['v1', 'v2', 'v1beta1'],
  },
};
