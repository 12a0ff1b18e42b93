import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../../ledger/limits.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { admin, code, fixture, stranger, value } from './fixture.ts'

const input = { url: 'https://a.example/hook', eventTypes: ['*'] }
const most = defaultLimits.webhooksPerTenant

test('an organization has so many webhooks and no more, however many are made at once', async () => {
  const { service, store } = fixture()
  const atOnce = 10
  const made: (string | null)[] = []
  for (let n = 0; n < most + 5; n += atOnce)
    made.push(
      ...(await Promise.all(
        Array.from({ length: atOnce }, async () => code(await service.create(admin, input))),
      )),
    )
  assert.equal(made.filter((refusal) => refusal === null).length, most)
  assert.deepEqual(new Set(made), new Set([null, 'webhook_limit']))
  assert.equal(store.rows(webhooks).length, most)
  assert.equal(store.rows(routings)[0]?.row.routes.length, most)
  // Another organization has its own; who removes one may make another.
  value(await service.create(stranger, input))
  const [first] = value(await service.list(admin))
  value(await service.remove(admin, first?.id ?? ''))
  value(await service.create(admin, input))
  assert.equal(code(await service.create(admin, input)), 'webhook_limit')
})
