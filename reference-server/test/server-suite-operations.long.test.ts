import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { openServerSuite } from '@countersign/conformance/server'
import { type Host, routes } from '@countersign/koa'
import { failures, type JudgedServer, startJudged } from './judged-server.ts'
import { scratchDirectory } from './processes/scratch.ts'
import type { Stage } from './processes/stage.ts'
import { openRelay, type Spoiler } from './relay.ts'

/** Groups of operations, by the first part of their names, each of which some check has to use with success. */
const judged = [
  'ingest',
  'sessions',
  'anchors',
  'policyRules',
  'redactionPolicies',
  'ingestRules',
  'scores',
  'flags',
  'annotations',
  'sessionReviews',
  'evidence',
  'evidencePackages',
  'evidenceKeys',
  'subjects',
  'erasureRequests',
  'legalHolds',
  'members',
  'invitations',
  'profile',
  'entitlements',
  'auditLog',
]
/** The groups of checks that use them. */
const only = [
  'ingest',
  'evidence',
  'packages',
  'sessions',
  'seals',
  'marks',
  'policies',
  'erasure',
  'privacy',
  'rules',
  'members',
  'organization',
]

describe('the conformance suite for servers', () => {
  const directory = scratchDirectory()
  let stage: Stage
  let target: JudgedServer['target']

  before(async () => {
    ;({ stage, target } = await startJudged(directory))
  })
  after(() => stage.end())

  it('uses every operation of sessions, evidence, personal data and the organization, and is granted it', async () => {
    const granted = new Set<string>()
    const noting = (host: Host): Spoiler => ({
      reply: ({ status }, { method, path }) => {
        const [pathname = ''] = path.split('?')
        if (status === 200) granted.add(`${host} ${method} ${pathname}`)
      },
    })
    const ca = readFileSync(stage.setup.caFile, 'utf8')
    const [ingest, portal] = await Promise.all(
      [target.ingest, target.portal].map((to) => openRelay({ to, ca })),
    )
    assert.ok(ingest && portal)
    ingest.spoiler = noting('ingest')
    portal.spoiler = noting('portal')
    const suite = await openServerSuite({ ...target, ingest: ingest.url, portal: portal.url })
    try {
      assert.deepEqual(failures(await suite.run({ only })), [])
      const used = [...granted]
      const rows = routes.filter(({ name }) => judged.includes(name.split('.')[0] ?? ''))
      const unused = rows.filter(({ host, method, path }) => {
        const form = new RegExp(`^${host} ${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`)
        return !used.some((one) => form.test(one))
      })
      assert.ok(rows.length > 35, `${rows.length} operations`)
      assert.deepEqual(
        unused.map(({ name }) => name),
        [],
        'operations that no check uses',
      )
    } finally {
      suite.close()
      await Promise.all([ingest.close(), portal.close()])
    }
  })
})
