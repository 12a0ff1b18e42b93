import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { readTree } from '../tree.mjs'
import { rooms } from '../walls.mjs'

const besideRooms = ['test', 'docs']
const roomOf = (path) => path.split('/')[0]
const inRooms = readTree(home)
  .find(({ dir }) => dir === 'core')
  .files.filter(({ path }) => path.includes('/') && !besideRooms.includes(roomOf(path)))

test('the table of rooms in the README of the core has its folders, each with what it depends on', () => {
  const readme = readFileSync(join(home, 'core/README.md'), 'utf8')
  const [, table = ''] = readme.split(/^\| room \| holds \| depends on \|\n\|[-|]+\n/m)
  const rows = [...table.split('\n\n')[0].matchAll(/^\| `(.+)\/` \| .+ \| (.*) \|$/gm)]
  const folders = new Set(inRooms.map(({ path }) => roomOf(path)))
  assert.deepEqual(rows.map(([, room]) => room).sort(), [...folders].sort())
  assert.deepEqual(
    rows.map(([, room, on]) => [room, on.trim()]),
    Object.entries(rooms).map(([room, on]) => [room, [on].flat().join(', ')]),
  )
})

test('no room may look where it does not', () => {
  const imported = new Map(Object.keys(rooms).map((room) => [room, new Set()]))
  for (const { path, imports } of inRooms)
    for (const { specifier } of imports)
      imported.get(roomOf(path))?.add(roomOf(join(dirname(path), specifier)))
  const unused = Object.entries(rooms).flatMap(([room, on]) =>
    on === 'every room'
      ? []
      : on.filter((each) => !imported.get(room).has(each)).map((each) => `${room}: ${each}`),
  )
  assert.deepEqual(unused, [])
})
