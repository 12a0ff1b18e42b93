import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createOutcomeCallbackHandler,
  createReceiver,
  memoryInbox,
  type OutcomeHandlerOptions,
  type ReceiverOptions,
} from '@countersign/receiver-kit'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { misspelt } from './support.ts'

const { key } = createTestSigner()
const receiver = { keys: [key], inbox: memoryInbox(), onEvent: () => {} }
const outcomes = {
  keys: [key],
  inbox: memoryInbox(),
  applicationId: 'app_1',
  onOutcome: () => {},
}

/** A change, and what the error says of it. */
type Wrong = readonly [change: object, message: RegExp]

const common: readonly Wrong[] = [
  [{ inbox: undefined }, /^expected inbox as an inbox such as memoryInbox\(\) .*, got undefined$/],
  [{ inbox: null }, /^expected inbox .*, got null$/],
  [{ inbox: 'inbox.db' }, /^expected inbox .*, got string$/],
  [{ inbox: { store: () => {} } }, /^expected inbox .*, got object$/],
  [{ inbox: Promise.resolve(memoryInbox()) }, /^expected inbox .*, got a promise: await it$/],
  [{ keys: key }, /^expected keys as a list of keys, such as \['whpk_…'\], got string$/],
  [{ keys: [7] }, /^expected keys .*, got an array$/],
  [{ keys: [] }, /^expected at least one key .*\(keys, legacySecrets\)$/],
  [{ clock: Date }, /^expected clock .*, got function$/],
  [{ clock: { now: Date.now } }, /^expected clock .*, got object$/],
  [{ observer: () => {} }, /^expected observer as .* event, got function$/],
  [{ retryAfterMs: 1_000 }, /^expected retryAfterMs as a function .*, got number$/],
]
const ofReceiver: readonly Wrong[] = [
  ...common,
  [{ onEvent: undefined }, /^expected onEvent as a function, got undefined$/],
  [{ onUnreadable: {} }, /^expected onUnreadable as a function, got object$/],
  [{ legacySecrets: 'secret' }, /^expected legacySecrets as a list of secrets, got string$/],
]
const ofOutcomes: readonly Wrong[] = [
  ...common,
  [{ keys: undefined }, /^expected keys .*, got undefined$/],
  [{ onOutcome: undefined }, /^expected onOutcome as a function, got undefined$/],
  [{ onProblem: 'alert' }, /^expected onProblem as a function, got string$/],
  [{ applicationId: undefined }, /^expected applicationId as an id/],
  [{ reviewers: {} }, /^expected no reviewers, .* createSignedOutcomeHandler/],
  [{ reviewer: {} }, /^expected options of inbox, .*, got reviewer$/],
  [{ reviewers: undefined }, /^expected no reviewers, .* createSignedOutcomeHandler/],
]

describe('options', () => {
  it('are taken when they are right', () => {
    createReceiver(receiver)
    createOutcomeCallbackHandler(outcomes)
  })

  for (const [change, message] of ofReceiver)
    it(`of a receiver are refused: ${message.source}`, () => {
      const options = { ...receiver, ...change } as unknown as ReceiverOptions
      assert.throws(() => createReceiver(options), { name: 'TypeError', message })
    })
  for (const [change, message] of ofOutcomes)
    it(`of an outcome handler are refused: ${message.source}`, () => {
      const options = { ...outcomes, ...change } as unknown as OutcomeHandlerOptions
      assert.throws(() => createOutcomeCallbackHandler(options), { name: 'TypeError', message })
    })

  it('of an outcome handler are refused where they are misspelt, however they are held', () => {
    for (const [named, wrong] of misspelt(outcomes, 'tenantID'))
      assert.throws(
        () => createOutcomeCallbackHandler(wrong as OutcomeHandlerOptions),
        /^TypeError: expected options of inbox, .*, got tenantID$/,
        named,
      )
  })

  it('tell no key in an error', () => {
    const options = { ...receiver, keys: key } as unknown as ReceiverOptions
    assert.throws(
      () => createReceiver(options),
      (error) => !String(error).includes(key),
    )
  })
})
