import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const manifest = (name, fields = {}) =>
  JSON.stringify({
    name: `@countersign/${name}`,
    version: '0.1.0',
    type: 'module',
    private: true,
    exports: {},
    ...fields,
  })

/** A small house that keeps every wall. */
const house = {
  'package.json': JSON.stringify({
    workspaces: [
      'core',
      'adapters/node',
      'adapters/koa',
      'receiver-kit',
      'conformance',
      'reference-server',
    ],
  }),
  'core/package.json': manifest('core', { dependencies: { '@noble/hashes': '1' } }),
  'core/index.ts': "export type { Clock } from './base/clock.ts'\n",
  'core/base/clock.ts': 'export type Clock = { now(): number }\n',
  'core/kernel/ledger.ts':
    "import { sha256 } from '@noble/hashes/sha2.js'\nimport type { Clock } from '../base/clock.ts'\n",
  'core/review/case.ts': "import { x } from '../kernel/ledger.ts'\n",
  'core/test/review/case.test.ts':
    "import test from 'node:test'\nimport fc from 'fast-check'\nimport { manual } from '@countersign/core/testing'\n",
  'adapters/node/package.json': manifest('node', { dependencies: { undici: '1' } }),
  'adapters/node/index.ts':
    "import { readFile } from 'node:fs/promises'\nimport { Agent } from 'undici'\nimport type { Clock } from '@countersign/core/ports'\n",
  'adapters/koa/package.json': manifest('koa', { peerDependencies: { koa: '1' } }),
  'adapters/koa/index.ts': "import Koa from 'koa'\n",
  'receiver-kit/package.json': manifest('receiver-kit'),
  'receiver-kit/index.ts':
    "import type { Inbox } from '@countersign/core/ports'\nimport { verify } from '@countersign/core/signing'\n",
  'conformance/package.json': manifest('conformance', { dependencies: { 'fast-check': '1' } }),
  'conformance/index.ts':
    "import fc from 'fast-check'\nimport { memory } from '@countersign/core/testing'\n",
  'reference-server/package.json': manifest('reference-server'),
  'reference-server/compose.ts': "import { send } from '@countersign/node'\n",
}

/** Writes `files` into a directory of their own, which goes when the test ends. */
export function plantFiles(t, files) {
  const root = mkdtempSync(join(tmpdir(), 'countersign-check-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** The small house with `files` laid over it. */
export const plant = (t, files = {}) => plantFiles(t, { ...house, ...files })

/** A workspace of two packages that compiles: `core` exports what is in its index, `app` uses it. */
export function plantProject(t, files = {}) {
  const options = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    composite: true,
    rewriteRelativeImportExtensions: true,
    types: [],
    rootDir: '.',
    outDir: 'dist',
    tsBuildInfoFile: 'dist/.tsbuildinfo',
  }
  const project = (references) =>
    JSON.stringify({
      compilerOptions: options,
      include: ['**/*.ts'],
      exclude: ['dist'],
      references,
    })
  const root = plantFiles(t, {
    'package.json': JSON.stringify({ type: 'module', workspaces: ['core', 'app'] }),
    'tsconfig.json': JSON.stringify({ files: [], references: [{ path: 'core' }, { path: 'app' }] }),
    'core/package.json': manifest('core', {
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    }),
    'core/tsconfig.json': project([]),
    'core/index.ts':
      "export type Step = 'open' | 'decided' | 'expired'\nexport async function send(step: Step): Promise<string> {\n  return step\n}\n",
    'app/package.json': manifest('app'),
    'app/tsconfig.json': project([{ path: '../core' }]),
    'app/index.ts': "import { send } from '@countersign/core'\n\nawait send('open')\n",
    ...files,
  })
  mkdirSync(join(root, 'node_modules/@countersign'), { recursive: true })
  symlinkSync(join(root, 'core'), join(root, 'node_modules/@countersign/core'))
  return root
}
