import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messages } from '@countersign/core/internal'
import { list, many } from '@countersign/core/ledger'
import type { Sealer } from '@countersign/core/ports'
import { type Life, live } from './canary-life.ts'
import { type CanaryWorld, createCanaries, openCanaryWorld } from './canary-world.ts'

const canaries = createCanaries()

/** The fields of what callers and people write of a session. */
const written = [
  'presentation',
  'policy result',
  'question',
  'answer',
  'comment',
  'response',
  'detail of the continuation',
  'note',
  'annotation',
  'label of an annotation',
  'comment of a session review',
]

/** A sealer that leaves the texts of rows as they are. */
function unsealedTexts(right: Sealer): Sealer {
  const isText = (context: string) => context.startsWith('["texts",')
  return {
    ...right,
    seal: (plain, context) => (isText(context) ? plain : right.seal(plain, context)),
    open: (sealed, context) => (isText(context) ? sealed : right.open(sealed, context)),
  }
}

describe('private texts', () => {
  let world: CanaryWorld
  let life: Life

  before(async () => {
    world = await openCanaryWorld()
    world.service.start()
    life = await live(world, canaries)
  })
  after(() => world.close())

  it('stand in no event, sent or stored', async () => {
    const [found] = await world.store.read(life.tenantId, [
      list(messages, { where: [], take: 10_000 }),
    ])
    const stored = many(messages, found).filter(({ row }) => row.type !== 'review.outcome')
    const types = new Set<string>(stored.map(({ row }) => row.type))
    for (const type of [
      'review.case.decided',
      'review.continuation.acknowledged',
      'session.completed',
      'session.flagged',
      'session.review.approved',
      'gdpr.legal_hold_placed',
      'gdpr.erasure_completed',
      'evidence_package.ready',
      'quality.score_computed',
      'alert.triggered',
      'subscription.signing_key_rotating',
    ])
      assert.ok(types.has(type), `the service told no ${type}`)
    for (const { row } of stored) assert.deepEqual(canaries.foundIn(row.body), [], row.type)
    const posts = world.transport.exchanges.filter(({ url }) => url.includes('hook.example'))
    assert.ok(posts.length > 10)
    for (const { headers, body } of posts)
      assert.deepEqual(canaries.foundIn(Buffer.from(`${JSON.stringify(headers)}${body}`)), [])
  })

  it('stand in no entry of the audit log', async () => {
    const entries = await world.audited(life.tenantId)
    assert.ok(entries.length > 15, String(entries.length))
    for (const entry of entries) assert.deepEqual(canaries.foundIn(entry), [], entry)
  })

  it('stand in no error answer, whatever is wrong with the request that brought them', async () => {
    const { session, applicationKey, sessionId, reviewCaseId, webhookId } = life
    const { applicationId } = life
    const asMember = { host: 'portal', as: session } as const
    const asApplication = { host: 'ingest', key: applicationKey } as const
    const ofCase = `/v1/review-cases/${reviewCaseId}`
    const members = {
      '/v1/auth/login': { host: 'portal', fields: ['email', 'password'] },
      '/v1/auth/invitation': { host: 'portal', fields: ['token'] },
      '/v1/auth/accept-invitation': { host: 'portal', fields: ['token', 'name', 'password'] },
      '/v1/auth/password': { ...asMember, fields: ['current', 'next'] },
      '/v1/auth/password/reset': { host: 'portal', fields: ['email'] },
      '/v1/auth/password/reset/accept': { host: 'portal', fields: ['token', 'password'] },
      '/v1/customer/invitations': { ...asMember, fields: ['email'] },
      '/v1/webhooks': { ...asMember, fields: ['secret', 'description'] },
      [`/v1/webhooks/${webhookId}/rotate-secret`]: { ...asMember, fields: ['secret'] },
      [`/v1/applications/${applicationId}/application-keys`]: { ...asMember, fields: ['label'] },
      [`/v1/sessions/${sessionId}/flags`]: { ...asMember, fields: ['note'] },
      [`/v1/sessions/${sessionId}/annotations`]: { ...asMember, fields: ['text', 'label'] },
      [`/v1/sessions/${sessionId}/reviews`]: { ...asMember, fields: ['comment'] },
      '/v1/gdpr/legal-holds': { ...asMember, fields: ['dataSubjectId', 'matter'] },
      '/v1/gdpr/erasure-requests': { ...asMember, fields: ['dataSubjectId'] },
      '/v1/gdpr/subjects/lookup': { ...asMember, fields: ['dataSubjectId'] },
      [`${ofCase}/follow-up`]: { ...asMember, fields: ['question'] },
      [`${ofCase}/decide`]: { ...asMember, fields: ['comment', 'response'] },
      '/v1/review-cases': { ...asApplication, fields: ['resumeToken', 'presentation'] },
      [`${ofCase}/follow-up-response`]: { ...asApplication, fields: ['answer'] },
      [`${ofCase}/continuation`]: { ...asApplication, fields: ['detail'] },
    } as const satisfies Readonly<
      Record<
        string,
        {
          readonly host: 'portal' | 'ingest'
          readonly as?: string
          readonly key?: string
          readonly fields: readonly string[]
        }
      >
    >
    let refused = 0
    for (const [path, { fields, host, ...who }] of Object.entries(members))
      for (const field of fields) {
        const text = canaries.of(`${path} ${field}`)
        const wrongs = [text, `${text}\0`, [text], { text }, text.repeat(10_000), `${text}\ud800`]
        for (const wrong of wrongs) {
          const answer = await world.call(host, 'POST', path, { ...who, body: { [field]: wrong } })
          const what = `${path} ${field}: ${answer.text.slice(0, 300)}`
          if (answer.status < 400) continue
          assert.deepEqual(canaries.foundIn(answer.text), [], what)
          refused++
        }
      }
    assert.ok(refused > 120, String(refused))
  })

  it('stand in no answer to a path or a credential that holds them', async () => {
    const text = canaries.of('path')
    const asks = [
      ['portal', `/v1/sessions/${text}`, { as: life.session }],
      ['portal', `/v1/review-cases/${text}`, { as: life.session }],
      ['portal', `/v1/customer/members?status=${text}`, { as: life.session }],
      ['portal', '/v1/auth/session', { as: canaries.of('secret: forged session') }],
      ['ingest', `/v1/review-cases/${text}`, { key: life.applicationKey }],
      ['ingest', '/v1/ingest/usage', { key: canaries.of('secret: forged key') }],
      ['staff', `/v1/staff/tenants/${text}`, {}],
    ] as const
    for (const [host, path, who] of asks) {
      const answer = await world.call(host, 'GET', path, who)
      assert.ok(answer.status >= 400, answer.text)
      assert.deepEqual(canaries.foundIn(answer.text), [], answer.text)
    }
  })

  it('stand in no log line and no metric', async () => {
    assert.ok(world.lines.length > 50, String(world.lines.length))
    for (const event of ['login', 'mail.failed', 'delivery.attempted', 'delivery.settled'])
      assert.ok(
        world.lines.some((line) => line.includes(`"event":"${event}"`)),
        event,
      )
    for (const line of world.lines) assert.deepEqual(canaries.foundIn(line), [], line)
    const metrics = await world.metrics()
    assert.match(metrics, /countersign_http_request_duration_seconds/)
    assert.deepEqual(canaries.foundIn(metrics), [])
  })

  it('that callers and people wrote of a session stand in no file, nor in a backup', async () => {
    assert.deepEqual(
      written.filter((field) => life.atRest.has(field)),
      [],
    )
    assert.ok(life.atRest.has('description of the application'), 'other texts are found')
    const clear = await openCanaryWorld(unsealedTexts)
    try {
      clear.service.start()
      const { atRest } = await live(clear, createCanaries())
      assert.deepEqual(
        written.filter((field) => !atRest.has(field)),
        [],
        'would not be found if it was not sealed',
      )
    } finally {
      await clear.close()
    }
  })

  it('stand in no file once they are erased, nor in a backup from after, but for those of others', () => {
    world.backUp()
    const found = new Set(world.files().flatMap(({ bytes }) => canaries.foundInAnyForm(bytes)))
    assert.deepEqual(
      [...written, 'data subject', 'secret: input', 'secret: output', 'secret: attribute'].filter(
        (field) => found.has(field),
      ),
      [],
    )
  })

  it('that are secrets stand in no file on the disk', () => {
    const secrets = canaries.named('secret: ')
    assert.ok(secrets.length > 15, String(secrets.length))
    const files = world.files()
    assert.ok(
      files.some(({ bytes }) => bytes.includes(life.tenantId)),
      'the files are those of the store',
    )
    for (const { file, bytes } of files) {
      const found = secrets.filter(({ text }) => bytes.includes(text)).map(({ field }) => field)
      assert.deepEqual(found, [], file)
    }
  })
})
