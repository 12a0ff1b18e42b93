import { comparePositions } from '@countersign/core/events'
import { commit, turn } from '../disk.ts'
import { type Steps, soundSteps } from '../steps.ts'
import { type BrokenReceiver, broken } from './fault.ts'

const { before, admit, answer, store } = soundSteps

export const readers: readonly BrokenReceiver[] = [
  broken('parses before it verifies', 'reading.verify-first', () => ({
    before(inbound, around) {
      const { body } = inbound
      return isJson(body) ? before(inbound, around) : { status: 400 }
    },
  })),
  broken('stores before it verifies', 'reading.no-effect', () => ({
    async before(inbound, around) {
      const message = soundSteps.parse(inbound.body)
      if (message !== null) around.disk.events.set(message.id, inbound.body)
      return before(inbound, around)
    },
    store: async (id, _, { memory }) => !memory.has(id) && memory.add(id) !== null,
  })),
  broken('lets the parser throw', 'reading.malformed-signed', () => ({
    unreadable: () => ({ status: 500 }),
  })),
]

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(body).toString('utf8'))
    return true
  } catch {
    return false
  }
}

/** Leaves copies to the step that stores; a strict comparison would hide that it lets them through. */
const trusting: Steps['newer'] = (place, head) =>
  head === undefined || comparePositions(place, head) >= 0

export const copies: readonly BrokenReceiver[] = [
  broken('calls a copy a conflict', 'idempotency.acknowledged', () => ({
    answer: (message, isNew, around) => (isNew ? answer(message, isNew, around) : { status: 409 }),
  })),
  broken('looks whether the id is there, then inserts', 'idempotency.one-effect', () => ({
    async store(id, body, around) {
      const { events } = around.disk
      const isNew = !events.has(id)
      await turn(5)
      await commit(around, () => events.set(id, body))
      return isNew
    },
    newer: trusting,
  })),
  broken('acts on every copy', 'idempotency.one-effect', () => ({
    actOnCopies: true,
    newer: trusting,
  })),
  broken('remembers ids in memory only', 'idempotency.restart', () => ({
    async store(id, body, around) {
      const { disk, memory } = around
      const isNew = await commit(around, () => !memory.has(id))
      memory.add(id)
      disk.events.set(id, body)
      return isNew
    },
    newer: trusting,
  })),
  broken('overwrites what it stored', 'idempotency.other-body', () => ({
    async store(id, body, around) {
      const isNew = await store(id, body, around)
      around.disk.events.set(id, body)
      return isNew
    },
  })),
]

export const orders: readonly BrokenReceiver[] = [
  broken('refuses what is older than the head', 'ordering.acknowledged', () => ({
    admit(message, proof, around) {
      const place = soundSteps.placeOf(message)
      const head = place && around.disk.heads.get(place.reviewCaseId)
      if (place && head && comparePositions(place, head) < 0) return { status: 409 }
      return admit(message, proof, around)
    },
  })),
  broken('takes the last arrival for the head', 'ordering.head', () => ({ newer: () => true })),
  broken('compares the case version alone', 'ordering.head', () => ({
    newer: (place, head) => head === undefined || place.caseVersion > head.caseVersion,
  })),
  broken('drops the newest for having another sequence', 'ordering.effects', () => ({
    newer: (place, head) => head === undefined || place.eventSequence === head.eventSequence + 1,
  })),
  broken('acts on history too', 'ordering.effects', () => ({ actOnHistory: true })),
]
