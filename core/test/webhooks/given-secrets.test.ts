import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreateWebhook, WebhookView } from '../../webhooks/records.ts'
import { webhooks } from '../../webhooks/records.ts'
import { admin, code, day, fixture, start, value } from './fixture.ts'

const url = 'https://a.example/hook'
const eventTypes = ['*']
const [first, second] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
assert.ok(first && second)

const texts = [undefined, null, first, second, 'words', '', 'whsec_AAAA']
const methods = [undefined, 'ed25519', 'shared_secret'] as const

type Signing = Pick<CreateWebhook, 'secret' | 'signing'>

/** Every combination of the members that choose how a webhook signs, each absent, right or wrong. */
const combinations: readonly Signing[] = texts.flatMap((secret) => [
  given({ secret }),
  ...methods.flatMap((method) =>
    texts.map((inside) => given({ secret, signing: given({ method, secret: inside }) })),
  ),
])

/** The members that are not undefined. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, member]) => member !== undefined),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

const histories: Readonly<Record<string, readonly Signing[]>> = {
  'the key of the organization': [{}],
  'a legacy secret': [{ secret: 'words' }],
  'a legacy secret of v1 form': [{ secret: first }],
  'a shared secret': [{ signing: { secret: first } }],
  'a shared secret that was rotated': [{ signing: { secret: second } }, { secret: first }],
}

type Answer = Awaited<ReturnType<ReturnType<typeof fixture>['service']['update']>>

/** Each pointer of a refusal leads to a member of the body. */
function checkPointers(answer: Answer, body: unknown, told: string): void {
  if (answer.ok) return
  for (const { pointer } of answer.refusal.errors ?? []) {
    assert.ok(pointer, told)
    const [, ...path] = pointer.split('/')
    const found = path.reduce<unknown>((at, name) => Object(at)[name], body)
    assert.notEqual(found, undefined, `${pointer} names no member of ${told}`)
  }
}

/** How the webhook signs after a request that was granted: `signing.secret` alone selects v1. */
function methodAfter({ signing }: Signing, before: string): string {
  const selected = typeof signing?.secret === 'string' ? 'shared_secret' : before
  return signing?.method ?? selected
}

async function made(history: readonly Signing[]) {
  const world = fixture()
  const [creation = {}, ...updates] = history
  const { id } = await world.created(creation)
  for (const update of updates)
    value(await world.service.update(admin, { webhookId: id, ...update }))
  return { ...world, id, before: value(await world.service.read(admin, { webhookId: id })) }
}

test('a new webhook refuses a secret at the member that holds it, and is made as the members say', async () => {
  const { service, store } = fixture()
  for (const signing of combinations) {
    const body: CreateWebhook = { url, eventTypes, ...signing }
    const told = JSON.stringify(body)
    const answer = await service.create(admin, body)
    checkPointers(answer, body, told)
    assert.ok([null, 'invalid_request'].includes(code(answer)), told)
    if (!answer.ok) continue
    const { method, hasSecret, secret } = answer.value.signing
    assert.equal(method, methodAfter(signing, 'ed25519'), told)
    const sent = signing.signing?.secret ?? signing.secret
    assert.equal(hasSecret, method === 'shared_secret' || typeof sent === 'string', told)
    if (sent) assert.equal(secret, sent, told)
    value(await service.remove(admin, { webhookId: answer.value.id }))
  }
  assert.equal(store.rows(webhooks).length, 0)
})

test('an update is a 400 for every webhook or for none; the rest is a conflict, at the member that was sent', async () => {
  const refused = new Map<string, Set<string>>()
  for (const [name, history] of Object.entries(histories))
    for (const body of combinations) {
      const told = JSON.stringify(body)
      const { service, id, before, webhookOf } = await made(history)
      const row = webhookOf(id)
      const answer = await service.update(admin, { webhookId: id, ...body })
      checkPointers(answer, body, `${told} to ${name}`)
      if (answer.ok) checkUpdated(answer.value, before, body, `${told} to ${name}`)
      else assert.deepEqual(webhookOf(id), row)
      const isInvalid = code(answer) === 'invalid_request'
      const seen = refused.get(told) ?? new Set()
      refused.set(told, seen.add(isInvalid ? JSON.stringify(answer) : 'no'))
      if (!answer.ok && !isInvalid)
        assert.ok(['invalid_transition', 'already_rotating'].includes(answer.refusal.code), told)
    }
  for (const [body, answers] of refused)
    assert.equal(answers.size, 1, `${body}: ${[...answers].join(' or ')}`)
})

function checkUpdated(after: WebhookView, before: WebhookView, body: Signing, told: string): void {
  assert.equal(after.signing.method, methodAfter(body, before.signing.method), told)
  const sent = body.signing?.secret !== undefined ? body.signing.secret : body.secret
  if (sent === null) assert.equal(after.signing.hasSecret, false, told)
  if (after.signing.method === 'shared_secret') assert.ok(after.signing.hasSecret, told)
}

test('a rotation is a 400 for every webhook or for none; the rest is a conflict', async () => {
  for (const secret of texts) {
    if (secret === null) continue
    const answers = new Set<boolean>()
    for (const history of Object.values(histories))
      for (const force of [undefined, false, true]) {
        const { service, id } = await made(history)
        const body = given({ secret, force })
        const answer = await service.rotateSecret(admin, { webhookId: id, ...body })
        checkPointers(answer, body, JSON.stringify(body))
        answers.add(code(answer) === 'invalid_request')
      }
    assert.equal(answers.size, 1, JSON.stringify(secret))
  }
})

test('a conflict names what it compared: the secret, or the method that the kept one can not sign', async () => {
  const cases = [
    ['a shared secret', { secret: null }, '/secret'],
    ['a shared secret', { signing: { secret: null } }, '/signing/secret'],
    ['a shared secret', { secret: 'words' }, '/secret'],
    ['a legacy secret', { signing: { method: 'shared_secret' } }, '/signing/method'],
  ] as const
  for (const [name, body, pointer] of cases) {
    const { service, id } = await made(histories[name] ?? [])
    const answer = await service.update(admin, { webhookId: id, ...body })
    assert.ok(!answer.ok)
    const { refusal } = answer
    assert.deepEqual([refusal.code, refusal.errors?.[0]?.pointer], ['invalid_transition', pointer])
  }
  const { service, id } = await made(histories['a shared secret'] ?? [])
  for (const secret of [first, 'words'])
    assert.equal(
      code(await service.rotateSecret(admin, { webhookId: id, secret })),
      'invalid_transition',
    )
})

test('signing.secret alone turns a webhook to v1, asks for verification, and rotates what signed before', async () => {
  const { service, id, webhookOf } = await made([{ secret: 'words' }])
  const { messageId } = webhookOf(id).verification
  const { signing } = value(
    await service.update(admin, { webhookId: id, signing: { secret: first } }),
  )
  assert.deepEqual([signing.method, signing.secret], ['shared_secret', first])
  assert.equal(signing.previousSecretValidUntil, new Date(start + day).toISOString())
  assert.notEqual(webhookOf(id).verification.messageId, messageId)
})
