import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalogue } from '@countersign/core/events'
import { policies } from '@countersign/core/internal'
import { longest } from '@countersign/core/ledger'
import { steps } from '../../review/machine/steps.ts'
import { table } from '../review/table.ts'
import { tableUnder } from './interface.ts'

const listed = (cell: string | undefined) => (cell ? cell.split(', ') : [])

describe('core/docs/interface.md', () => {
  const transitions = tableUnder('Transition table')

  it('has each recorded step in the row of its number, with its event and what it raises', () => {
    for (const [name, { row, event, raises }] of Object.entries(steps)) {
      const written = transitions.find((each) => each.Row === String(row))
      assert.ok(written, `no row ${row} for ${name}`)
      assert.ok(listed(written.Steps).includes(name), `row ${row} lacks the step ${name}`)
      assert.equal(written.Event, event ?? '', `event of ${name}`)
      assert.equal(written.Raises, raises ? 'version, sequence' : 'sequence', `row ${row}`)
    }
  })

  it('has no step, command or row that the machine lacks', () => {
    const written = transitions.flatMap((each) => listed(each.Steps)).sort()
    assert.deepEqual(written, Object.keys(steps).sort())
    for (const [row, { command }] of Object.entries(table))
      assert.equal(transitions.find((each) => each.Row === row)?.Command, command, `row ${row}`)
    const rows = new Set([...Object.keys(table), '1', '2b', '2c', '9'])
    assert.deepEqual(new Set(transitions.map((each) => each.Row)), rows)
  })

  it('has every event type with its family and envelope', () => {
    const written = tableUnder('Events').map(({ Type, Family, Envelope }) => [
      Type,
      { family: Family, envelope: Envelope },
    ])
    const expected = Object.entries(catalogue).map(([type, { family, envelope }]) => [
      type,
      { family, envelope },
    ])
    assert.deepEqual(written, expected)
  })

  it('has the longest that each field may be', () => {
    const written = tableUnder('Fields').map(({ Field, Longest }) => [Field, Number(Longest)])
    assert.deepEqual(Object.fromEntries(written), { ...longest })
  })

  it('has the retry schedules', () => {
    for (const { Policy, Waits, Jitter, 'Last attempt': last } of tableUnder('Retry schedule')) {
      const policy = policies[Policy as keyof typeof policies]
      assert.deepEqual(listed(Waits).map(milliseconds), policy.waits, Policy)
      assert.equal(Jitter, `${policy.jitter * 100} %`)
      assert.equal(
        last,
        policy.lastAfter === null ? '' : `${policy.lastAfter / 3_600_000} h after the first`,
      )
    }
  })
})

function milliseconds(text: string): number {
  const [count, unit] = text.split(' ')
  const size = { s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? '']
  assert.ok(size, `a wait with a unit, got ${text}`)
  return Number(count) * size
}
