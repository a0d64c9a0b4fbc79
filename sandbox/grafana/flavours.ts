export const FLAVOUR_NAMES = ['9.5', '10.1', '12', '13'] as const;
export type FlavourName = (typeof FLAVOUR_NAMES)[number];

/** In what the versions of Grafana differ, as far as a gateway meets it. The facade was recorded from 10.1. */
export interface Flavour {
  /** As /api/health and the frontend settings say it. */
  version: string;
  /** `"extra":null` in refusals of a credential: 10.1 alone. */
  extra: boolean;
  /** Refusals carry `messageId` and `statusCode`, and words of the broker's: since 10. */
  messageIds: boolean;
  /** A wrong name or password of basic authentication: 400 in 10.1 alone. */
  wrongPassword: 400 | 401;
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
  /** A query's error in ds/query keeps the datasource's own status and says whose it is: since 11. */
  errorSource: boolean;
  /** `folderUIDs` of the search is heard: since 10.2. Before, it is ignored like any unknown parameter. */
  searchFolderUids: boolean;
  /** Hits of the search carry `orgId` and `isDeleted`: newer ones. */
  searchFlags: boolean;
  /** Rules of /api/prometheus/grafana carry `uid` and `folderUid`: newer ones. */
  ruleUids: boolean;
  /** Annotations name their dashboard by its number too: up to 12.2. */
  annotationNumbers: boolean;
  /** Versions of `/apis/dashboard.grafana.app`, the preferred one first; with them comes the namespace: since 12. */
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
    wrongPassword: 401,
    refusesOtherOrg: false,
    unknownHealth: 500,
    lokiHealth: false,
    numericIds: true,
    lokiResources: OLD_LOKI,
    errorSource: false,
    searchFolderUids: false,
    searchFlags: false,
    ruleUids: false,
    annotationNumbers: true,
    apis: [],
  },
  '10.1': {
    version: '10.1.0-pre',
    extra: true,
    messageIds: true,
    wrongPassword: 400,
    refusesOtherOrg: false,
    unknownHealth: 500,
    lokiHealth: false,
    numericIds: true,
    lokiResources: OLD_LOKI,
    errorSource: false,
    searchFolderUids: false,
    searchFlags: false,
    ruleUids: false,
    annotationNumbers: true,
    apis: [],
  },
  '12': {
    version: '12.1.1',
    extra: false,
    messageIds: true,
    wrongPassword: 401,
    refusesOtherOrg: true,
    unknownHealth: 404,
    lokiHealth: true,
    numericIds: true,
    lokiResources: NEW_LOKI,
    errorSource: true,
    searchFolderUids: true,
    searchFlags: true,
    ruleUids: true,
    annotationNumbers: true,
    apis: ['v1beta1', 'v2beta1'],
  },
  '13': {
    version: '13.3.1',
    extra: false,
    messageIds: true,
    wrongPassword: 401,
    refusesOtherOrg: true,
    unknownHealth: 404,
    lokiHealth: true,
    numericIds: false,
    lokiResources: NEW_LOKI,
    errorSource: true,
    searchFolderUids: true,
    searchFlags: true,
    ruleUids: true,
    annotationNumbers: false,
    apis: ['v1', 'v2', 'v1beta1'],
  },
};
