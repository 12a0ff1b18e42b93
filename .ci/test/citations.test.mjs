import assert from 'node:assert/strict'
import test from 'node:test'
import { citations } from '../gates/citations.mjs'
import { readTree } from '../tree.mjs'
import { plant } from './plant.mjs'

const documents = {
  'core/docs/interface.md':
    '# Interface\n\n## Errors\n\n### Transition table\n\n| Row | To |\n|---|---|\n| 1 | open |\n| 2b | open |\n',
  'core/docs/decisions.md': '# Decisions\n\n## Delivery\n\n### 4. Fencing token\n',
}

const foundIn = (t, text, files = documents) => {
  const root = plant(t, { ...files, 'core/review/x.ts': text })
  return citations(root, readTree(root)).map(({ file, line, text }) => `${file}:${line} ${text}`)
}

test('citations that lead somewhere are fine', (t) => {
  const text = [
    '// One table (interface, Errors); rows 1 and 2b, decision 4.',
    "const source = 'interface, Transition table; row 1'",
  ].join('\n')
  assert.deepEqual(foundIn(t, text), [])
})

for (const [text, says] of [
  ['// (interface, Erors)', 'interface.md has no heading "Erors"'],
  ['// row 3', 'the transition table has no row 3'],
  ['// rows 1 to 3', 'the transition table has no row 3'],
  ['// decision 5', 'decisions.md has no decision 5'],
  ['// (contract, Errors)', 'cite core/docs: (interface, <heading>)'],
])
  test(`${text} is found`, (t) => {
    assert.deepEqual(foundIn(t, `\n${text}\n`), [`core/review/x.ts:2 ${says}`])
  })

test('without the documents no citation leads anywhere', (t) => {
  assert.equal(foundIn(t, '// (interface, Errors), decision 4\n', {}).length, 2)
})

test('a number that two decisions have is found', (t) => {
  const path = 'core/docs/decisions.md'
  const files = { ...documents, [path]: `${documents[path]}\n### 4. Lease of a delivery\n` }
  assert.deepEqual(foundIn(t, '', files), [`${path}:7 two decisions have the number 4`])
})
