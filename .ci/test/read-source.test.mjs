import assert from 'node:assert/strict'
import test from 'node:test'
import { importsOf, readSource } from '../read-source.mjs'

const specifiers = (text) => importsOf(readSource(text)).map(({ specifier }) => specifier)

test('every form of import is seen', () => {
  const text = `#!/usr/bin/env node
import a from 'a'
import * as b from 'b'
import c, { type D,
  d } from "c"
import type { E } from 'e'
import type F from 'f'
import 'g'
export { h } from 'h'
export * from 'i'
export * as j from 'j'
export type { K } from 'k'
type L = import('l').L
const m = await import('m')
const n = require('n')
type O = typeof import('o')
`
  assert.deepEqual(specifiers(text), [...'abcefghijklmno'])
  assert.deepEqual(
    importsOf(readSource(text))
      .filter(({ typeOnly }) => typeOnly)
      .map(({ specifier }) => specifier),
    ['e', 'f', 'k', 'o'],
  )
  assert.deepEqual(importsOf(readSource(text)).find(({ specifier }) => specifier === 'c').line, 5)
})

test('what only looks like an import is not one', () => {
  const text = [
    "// import a from 'a'",
    "/* import b from 'b' */",
    'const c = "import c from \'c\'"',
    "const d = `import d from 'd' ${/`/.test(e) ? `import('e')` : ''} import 'f'`",
    "export const from = 'g'",
    "export interface H { readonly from: 'h' }",
    "const i = import.meta.url + 'i'",
  ].join('\n')
  assert.deepEqual(specifiers(text), [])
})

test('code after what is hard to read is still read', () => {
  const hard = [
    'const quote = /[\'"`]/',
    "const slashes = /[/]/.test('//')",
    "const division = (1) / 2 / 3 // '",
    "const nested = `a ${`b ${'c'}` + { d: '}' }.d} e`",
    "const escaped = 'it\\'s' + `\\`` + \"\\\\\"",
    "const url = 'https://example.com' // it's",
    "function generic<T extends `${string}'`>(x: T) { return /'/ }",
  ]
  for (const line of hard) assert.deepEqual(specifiers(`${line}\nimport x from 'x'\n`), ['x'], line)
})

test('code keeps its length and lines', () => {
  const text = "const a = 'é😀' /* two\nlines */ + `x${a}y\n`\nconst b = /re/g\n"
  const { code } = readSource(text)
  assert.equal(code.length, text.length)
  assert.equal(code.split('\n').length, text.split('\n').length)
  assert.ok(code.includes('${a}'))
  assert.ok(!/two|x\$|re/.test(code))
})
