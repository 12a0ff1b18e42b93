import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placesFor } from '../../app/search/places.ts'

const pages = [
  { path: '/queue', label: 'Queue' },
  { path: '/webhooks', label: 'Webhooks' },
]

describe('the places that a text names', () => {
  const rows: readonly (readonly [text: string, paths: readonly string[]])[] = [
    ['', ['/queue', '/webhooks']],
    ['QUE', ['/queue', '/evidence/sessions/QUE']],
    ['rc_01JX', ['/cases/rc_01JX']],
    [' rc_01JX ', ['/cases/rc_01JX']],
    ['rc_', []],
    ['wh_1', ['/webhooks/wh_1']],
    ['evt_1', ['/events/evt_1']],
    ['app_1', ['/applications/app_1']],
    ['rule_1', ['/alerts/rule_1']],
    ['ch_1', ['/channels/ch_1']],
    ['rc_../../me?x', ['/cases/rc_..%2F..%2Fme%3Fx']],
    ['ses_a/b', ['/evidence/sessions/ses_a%2Fb']],
    ['two words', []],
    ['ab', []],
  ]
  for (const [text, paths] of rows)
    it(`of "${text}"`, () =>
      assert.deepEqual(
        placesFor(text, pages).map(({ path }) => path),
        paths,
      ))
})
