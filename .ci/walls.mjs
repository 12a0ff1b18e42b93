// The walls of the house as data: who may import what. `gates/walls.mjs` enforces them.

/**
 * What the shipped code of each workspace may import. `ours`: packages of this repository, by exact
 * specifier or with `/*`; `types`: the same, for `import type` alone; `libraries`: of what the
 * package.json lists; `declared` means all of it; `builtins`: `node:` modules; `below`: walls of folders that run
 * elsewhere; `bundled`: what it imports is shipped within a bundle, so that dev dependencies do.
 */
export const packages = {
  core: {
    ours: [],
    types: [],
    libraries: ['@bufbuild/protobuf', '@noble/curves', '@noble/hashes'],
    builtins: 'no',
  },
  'receiver-kit': {
    ours: ['@countersign/core/signing', '@countersign/core/events', '@countersign/core/webauthn'],
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
  // Inputs and answers are shapes of the core: no other schema language.
  'adapters/koa': {
    ours: ['@countersign/core', '@countersign/core/*'],
    types: [],
    libraries: ['@bufbuild/protobuf', '@koa/router', 'koa'],
    builtins: 'yes',
  },
  // Frameworks are peers, or typed by their structure.
  'adapters/agents': {
    ours: ['@countersign/client', '@countersign/core/canonical', '@countersign/core/webauthn'],
    types: [],
    libraries: 'declared',
    builtins: 'no',
    below: {
      'hook/': {
        ours: ['@countersign/client'],
        types: [],
        libraries: [],
        builtins: 'yes',
      },
    },
  },
  'adapters/mcp': {
    ours: [
      '@countersign/agents',
      '@countersign/agents/reviewers',
      '@countersign/client',
      '@countersign/core/canonical',
    ],
    types: [],
    libraries: 'declared',
    builtins: 'yes',
  },
  'adapters/portal': {
    ours: [],
    types: [],
    libraries: ['koa'],
    builtins: 'yes',
    below: {
      'app/': {
        ours: [
          '@countersign/client',
          '@countersign/client/portal',
          '@countersign/core/canonical',
          '@countersign/core/events',
          '@countersign/core/signing',
          '@countersign/core/signing-rule',
          '@countersign/core/webauthn',
        ],
        types: ['@countersign/koa'],
        libraries: ['@preact/signals', 'diff', 'preact', 'preact-iso'],
        builtins: 'no',
        bundled: true,
      },
    },
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
export const unpublished = ['bench/', 'demo/agent.ts', 'demo/signer.ts', 'examples/']

/**
 * The rooms of the core and the rooms that each may look into. Arrows point one way; files at the root of
 * the core may look into every room, no room looks at them.
 */
export const rooms = {
  base: [],
  kernel: ['base'],
  proof: ['base'],
  outbox: ['kernel', 'base'],
  organizations: ['proof', 'kernel', 'base'],
  applications: ['organizations', 'proof', 'kernel', 'base'],
  content: ['applications', 'organizations', 'kernel', 'base'],
  keys: ['content', 'applications', 'organizations', 'proof', 'kernel', 'base'],
  webhooks: [
    'keys',
    'content',
    'applications',
    'organizations',
    'outbox',
    'proof',
    'kernel',
    'base',
  ],
  review: [
    'webhooks',
    'keys',
    'content',
    'applications',
    'organizations',
    'outbox',
    'proof',
    'kernel',
    'base',
  ],
  policies: ['review', 'webhooks', 'content', 'applications', 'organizations', 'kernel', 'base'],
  sessions: [
    'policies',
    'review',
    'webhooks',
    'content',
    'applications',
    'organizations',
    'outbox',
    'proof',
    'kernel',
    'base',
  ],
  removal: [
    'sessions',
    'policies',
    'review',
    'webhooks',
    'content',
    'applications',
    'organizations',
    'outbox',
    'proof',
    'kernel',
    'base',
  ],
  evidence: [
    'removal',
    'sessions',
    'policies',
    'review',
    'keys',
    'content',
    'applications',
    'organizations',
    'proof',
    'kernel',
    'base',
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
