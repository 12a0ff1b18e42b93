import assert from 'node:assert/strict'
import test from 'node:test'
import { cures, meanings } from '../refusal.ts'

test('what helps against a refusal is one sentence, and no repetition of its meaning', () => {
  assert.deepEqual(Object.keys(cures).sort(), Object.keys(meanings).sort())
  for (const [code, cure] of Object.entries(cures)) {
    assert.match(cure, /^[A-Z][^.]*[^.\s]\.$/, code)
    assert.ok(cure.length <= 200, code)
    assert.notEqual(cure.toLowerCase(), `${meanings[code as keyof typeof meanings]}.`, code)
  }
})
