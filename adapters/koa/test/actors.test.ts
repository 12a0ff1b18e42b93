import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { routes } from '../api.ts'
import { readSources } from '../description/read-sources.ts'
import { readWire } from '../description/wire.ts'

const forms: Readonly<Record<string, RegExp>> = {
  member: /^mem_[0-9a-z]+$/,
  actor: /^(member:mem_|application:app_|key:key_)[0-9a-z]+$|^staff:[\w-]{1,100}$|^system$/,
}
// A certificate attests; nobody does.
const namesActors = /(?<!^attested)By$|^actor$|^reviewerId$/
const groupOf = (name: string) => name.slice(0, name.indexOf('.'))

/** Calls `found` for each member of any object within a value. */
function members(value: unknown, found: (name: string, of: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, of] of Object.entries(value)) {
    found(name, of)
    members(of, found)
  }
}

/** What interface.md says: the form of a field of a group. */
async function written(): Promise<ReadonlyMap<string, string>> {
  const { wire } = readSources()
  const rows = readWire(wire).rowsUnder('Actors')
  return new Map(
    rows.flatMap(([field = '', of = '', form = '']) =>
      of.split(', ').map((group) => [`${group} ${field}`, form] as const),
    ),
  )
}

describe('fields that name who did something', () => {
  it('are those of the table of actors, by the shapes of all answers', async () => {
    const found = new Set<string>()
    for (const { name, answer } of routes)
      members(answer.schema, (member, of) => {
        if (member !== 'properties' || typeof of !== 'object' || of === null) return
        for (const field of Object.keys(of))
          if (namesActors.test(field)) found.add(`${groupOf(name)} ${field}`)
      })
    assert.deepEqual([...found].toSorted(), [...(await written()).keys()].toSorted())
  })

  it('hold a member or an actor, as the table says, in the sample of every answer', async () => {
    const table = await written()
    const { samples } = readSources()
    const checked = new Set<string>()
    for (const [operation, { answer }] of Object.entries(samples))
      members(answer, (field, value) => {
        if (!namesActors.test(field) || value === null) return
        const key = `${groupOf(operation.split(' ')[1] ?? '')} ${field}`
        assert.match(String(value), forms[table.get(key) ?? ''] ?? /^$/, `${operation}: ${key}`)
        checked.add(key)
      })
    const fieldOf = (key: string) => key.slice(key.indexOf(' ') + 1)
    const seen = new Set([...checked].map(fieldOf))
    const never = [...table.keys()].map(fieldOf).filter((field) => !seen.has(field))
    assert.deepEqual(never, [], 'fields of which no sample has a value')
  })
})
