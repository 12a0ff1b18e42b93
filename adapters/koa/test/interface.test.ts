import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { rights } from '@countersign/core/access'
import { routes } from '../api.ts'
import type { Route } from '../operation.ts'
import { statusOf } from '../status.ts'

const text = readFileSync(new URL('../../../../core/docs/interface.md', import.meta.url), 'utf8')

/** Cells of the table under a heading, without its head. */
function rowsUnder(heading: string): string[][] {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** Which member may, in the words of the column. */
function memberOf({ right }: Route): string {
  const needs = right === null ? 'any' : rights[right].members
  if (needs === 'any') return 'session'
  return typeof needs === 'string' ? needs : needs.join(' or ')
}

describe('core/docs/interface.md', () => {
  it('has every error code with its status', () => {
    const written = rowsUnder('Errors').map(([code, status]) => [code, Number(status)])
    assert.deepEqual(Object.fromEntries(written), statusOf)
  })

  for (const [heading, host] of [
    ['Ingest host', 'ingest'],
    ['Portal host', 'portal'],
    ['Staff host', 'staff'],
  ] as const)
    it(`has every operation of the ${host} host`, () => {
      const served = routes.filter((row) => row.host === host)
      const written = rowsUnder(heading).map(([name, method, path]) => `${name} ${method} ${path}`)
      assert.deepEqual(
        written.toSorted(),
        served.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(),
      )
      for (const [, method, path, who] of rowsUnder(heading)) {
        const row = served.find((each) => each.method === method && each.path === path)
        const auth =
          who === 'key'
            ? 'application'
            : who === 'customer key'
              ? 'customerKey'
              : who === 'none' || who === 'staff'
                ? who
                : 'member'
        assert.equal(row?.auth, auth, `${method} ${path}`)
        if (row?.auth === 'member')
          assert.equal(who?.split(', ')[0], memberOf(row), `${method} ${path}`)
      }
    })
})
