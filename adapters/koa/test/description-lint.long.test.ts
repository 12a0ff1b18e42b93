import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hosts } from '../index.ts'
import { shippedText } from './shipped.ts'

const { resolve } = createRequire(import.meta.url)
const scratch = mkdtempSync(join(tmpdir(), 'described-'))
after(() => rmSync(scratch, { recursive: true }))

/** What Redocly's rules, all that it recommends, find wrong with an OpenAPI document. */
async function lintOpenApi(file: string): Promise<readonly string[]> {
  const cli = join(dirname(resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const options = ['--extends=recommended', '--format=json']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'lint', file, ...options], {
    cwd: scratch,
    env,
    maxBuffer: 2 ** 26,
  }).catch((error: { readonly stdout: string }) => error)
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    readonly problems: readonly { readonly ruleId: string; readonly message: string }[]
  }
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

interface Parser {
  parse(text: string): Promise<{
    readonly document?: unknown
    readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
  }>
}

/** What the parser of AsyncAPI finds wrong; that 3.1.0 is out is no fault of a document in 3.0.0. */
async function lintAsyncApi(text: string): Promise<readonly string[]> {
  const name = '@asyncapi/parser'
  const { Parser } = (await import(name)) as { readonly Parser: new () => Parser }
  const { document, diagnostics } = await new Parser().parse(text)
  return [
    ...(document ? [] : ['no document']),
    ...diagnostics
      .filter(({ code }) => code !== 'asyncapi-latest-version')
      .map(({ code, message }) => `${code}: ${message}`),
  ]
}

describe('openapi', () => {
  for (const host of hosts)
    test(`openapi-${host}.json has no error and no warning`, async () => {
      const file = fileURLToPath(new URL(`../documents/openapi-${host}.json`, import.meta.url))
      assert.deepEqual(await lintOpenApi(file), [])
    })

  for (const [name, from, to, rule] of [
    ['a reference to nothing', '/schemas/Case"', '/schemas/None"', 'no-unresolved-refs'],
    ['a wrong type', '"type": "integer"', '"type": "whole"', 'struct'],
    [
      'an example of another form',
      '"caseVersion": 3,',
      '"caseVersion": "three",',
      'no-invalid-media-type-examples',
    ],
    [
      'one id for two operations',
      'reviewCases.cancel',
      'reviewCases.open',
      'operation-operationId-unique',
    ],
  ] as const)
    test(`${name} is found`, async () => {
      const file = join(scratch, `${rule}.json`)
      writeFileSync(file, shippedText('openapi-ingest.json').replaceAll(from, to))
      const found = await lintOpenApi(file)
      assert.ok(
        found.some((each) => each.startsWith(rule)),
        found.join('\n'),
      )
    })
})

describe('asyncapi', () => {
  const text = shippedText('asyncapi.json')
  test('asyncapi.json has no fault', async () => assert.deepEqual(await lintAsyncApi(text), []))

  for (const [name, from, to] of [
    ['a method that HTTP lacks', '"POST"', '"SEND"'],
    ['an action that is none', '"action": "send"', '"action": "post"'],
    [
      'a reference to nothing',
      '#/components/messages/review.outcome',
      '#/components/messages/none',
    ],
    ['a wrong type', '"type": "integer"', '"type": "whole"'],
  ] as const)
    test(`${name} is found`, async () => {
      assert.notDeepEqual(await lintAsyncApi(text.replaceAll(from, to)), [])
    })
})
