// The walls of the house as data: who may import what. `gates/walls.mjs` enforces them.

/**
 * What the shipped code of each workspace may import. `ours`: packages of this repository, by exact
 * specifier or with `/*`; `types`: the same, for `import type` alone; `libraries`: `declared` means whatever
 * the package.json lists; `builtins`: `node:` modules.
 */
export const packages = {
  core: {
    ours: [],
    types: [],
    libraries: ['@noble/curves', '@noble/hashes'],
    builtins: 'no',
  },
  'receiver-kit': {
    ours: ['@countersign/core/signing', '@countersign/core/events'],
    types: ['@countersign/core/ports'],
    libraries: [],
    builtins: 'types',
  },
  conformance: {
    ours: ['@countersign/core', '@countersign/core/*'],
    types: [],
    libraries: ['fast-check'],
    builtins: 'yes',
  },
  'adapters/*': {
    ours: ['@countersign/core', '@countersign/core/*'],
    types: [],
    libraries: 'declared',
    builtins: 'yes',
  },
  'reference-server': {
    ours: ['@countersign/*'],
    types: [],
    libraries: 'declared',
    builtins: 'yes',
  },
}

/** Test doubles: for tests, for these workspaces and for what is never published. */
export const doubles = { specifier: '@countersign/core/testing', allowedIn: ['conformance'] }

/** Files that may name the types of modules which another package does not export, and where those lie. */
export const inside = { 'conformance/mutants/modules.ts': 'core/' }

/** The only files of the reference server that know an adapter: the service, the sandbox beside it, its local setup and its tools. */
export const composition = [
  'compose.ts',
  'local.ts',
  'open-database.ts',
  'sandbox/open-sandbox.ts',
  'command/',
  'demo.ts',
  'demo/',
  'bench.ts',
  'bench/',
]

/** Never published, so what they import may be a dev dependency. */
export const unpublished = ['bench/', 'demo/agent.ts', 'examples/']

/**
 * The rooms of the core and the rooms, or single files (`room/file`), that each may look into.
 * Arrows point one way; files at the root of the core may look into every room, no room looks at them.
 */
export const rooms = {
  errors: [],
  text: [],
  ports: ['errors'],
  'store-kit': ['errors', 'ports', 'text'],
  canonical: ['errors', 'text'],
  json: ['text'],
  merkle: [],
  signing: ['errors'],
  events: [],
  ledger: ['errors', 'ports', 'store-kit/key-of', 'text'],
  work: ['ledger', 'ports'],
  sealing: ['ledger', 'ports'],
  keys: ['callers', 'kernel', 'access', 'work', 'sealing', 'ledger', 'signing', 'ports'],
  callers: ['ledger'],
  mail: ['work', 'sealing', 'ledger', 'ports'],
  access: ['callers', 'kernel', 'mail', 'work', 'ledger', 'ports'],
  kernel: ['callers', 'mail', 'events', 'ledger', 'ports', 'store-kit/key-of', 'text'],
  organization: ['kernel', 'callers', 'access', 'work', 'ledger', 'ports', 'store-kit/log-chain'],
  applications: ['kernel', 'callers', 'access', 'sealing', 'signing', 'work', 'ledger', 'ports'],
  outbox: ['events', 'ledger', 'ports'],
  // What metrics count is noted by the rooms where it happens.
  activity: ['sessions', 'applications', 'ledger', 'ports'],
  webhooks: [
    'kernel',
    'mail',
    'activity',
    'applications',
    'outbox',
    'callers',
    'access',
    'work',
    'keys',
    'sealing',
    'events',
    'signing',
    'json/in-slices',
    'ledger',
    'ports',
  ],
  review: [
    // The ids of sessions that were dissolved in others.
    'sessions/trace-records',
    // Whose texts are being erased.
    'sessions/erasure-marks',
    'activity',
    'webhooks',
    'outbox',
    'callers',
    'access',
    'applications',
    'work',
    'keys',
    'sealing',
    'events',
    'signing',
    'canonical',
    'ledger',
    'ports',
  ],
  // What is stored and shown of a session is known to the rooms that take, judge, erase and export it.
  sessions: ['callers', 'events', 'ledger', 'ports'],
  proof: ['signing', 'canonical', 'json/in-slices'],
  signals: [
    'kernel',
    'mail',
    'activity',
    'sessions',
    'review',
    'webhooks',
    'callers',
    'access',
    'applications',
    'work',
    'sealing',
    'events',
    'canonical',
    // Checkpoint ids are cut as other ids are.
    'text/text-rules',
    'json/in-slices',
    'ledger',
    'ports',
    'organization',
  ],
  // Chats hear the events that webhooks hear, and note what was given up as these do.
  channels: [
    'kernel',
    'webhooks',
    'activity',
    'applications',
    'outbox',
    'callers',
    'access',
    'sealing',
    'events',
    'ledger',
    'ports',
  ],
  privacy: ['errors', 'callers', 'access', 'work', 'sealing', 'canonical', 'ledger', 'ports'],
  'key-requests': [
    'kernel',
    'privacy',
    'applications',
    'callers',
    'access',
    'work',
    'ledger',
    'ports',
  ],
  ingest: [
    'signals',
    'privacy',
    'json',
    'sessions',
    'proof',
    'merkle',
    'review',
    'webhooks',
    'outbox',
    'callers',
    'access',
    'applications',
    'work',
    'events',
    'canonical',
    'ledger',
    'ports',
    'text',
    'organization',
  ],
  evidence: [
    'kernel/facade',
    'sessions',
    'proof',
    'erasure',
    'ingest',
    'signals',
    'privacy',
    'review',
    'applications',
    'webhooks',
    'outbox',
    'callers',
    'access',
    'work',
    'sealing',
    'merkle',
    'keys',
    'signing',
    'events',
    'json/in-slices',
    'ledger',
    'errors',
    'ports',
    'store-kit/log-chain',
  ],
  erasure: [
    'kernel',
    'ingest',
    'signals',
    'privacy',
    'review',
    'webhooks',
    'outbox',
    'callers',
    'access',
    'applications',
    'work',
    'sessions',
    'proof',
    'events',
    'ledger',
    'ports',
  ],
  lifecycle: [
    'kernel',
    'erasure',
    'signals',
    'review',
    'webhooks',
    'channels',
    'outbox',
    'callers',
    'access',
    'applications',
    'mail',
    'work',
    'events',
    'ledger',
    'ports',
  ],
  testing: 'every room',
}

/** What the shipped code of the core may not reach for, and what takes its place. */
export const surroundings = [
  [/(?<![.\w$])Buffer\b/, 'Buffer', 'Uint8Array'],
  [/(?<![.\w$])process\b(?=\s*[.[])/, 'process', 'an argument'],
  [/(?<![.\w$])globalThis\b/, 'globalThis', 'an argument'],
  [/\bDate\.now\b/, 'Date.now', 'the clock port or a `now` argument'],
  [/\bnew\s+Date\b(?!\s*\(\s*[^)\s])/, 'new Date()', 'the clock port or a `now` argument'],
  [/\bperformance\.now\b/, 'performance.now', 'the clock port'],
  [/\bMath\.random\b/, 'Math.random', 'the random port'],
  [/(?<![.\w$])crypto\./, 'crypto', 'the random port, or @noble'],
  [/(?<![.\w$])(?:setTimeout|setInterval|setImmediate)\b/, 'a timer', 'the clock port'],
]

/** Lines of a file outside tests: from `warn` it is told, above `most` it is refused. */
export const lines = { warn: 300, most: 400 }
