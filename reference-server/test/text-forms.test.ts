import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formsOf } from './text-forms.ts'

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
const codings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16, little end first': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16, big end first': swapped,
  hex: (text) => Buffer.from(Buffer.from(text).toString('hex')),
  HEX: (text) => Buffer.from(Buffer.from(text).toString('hex').toUpperCase()),
  base64: (text) => Buffer.from(Buffer.from(text).toString('base64')),
  base64url: (text) => Buffer.from(Buffer.from(text).toString('base64url')),
}

test('a text is found in every coding, whatever stands around it, and one that is not there is not', () => {
  const around = fc.string({ unit: 'binary', maxLength: 7 })
  fc.assert(
    fc.property(around, around, (before, behind) => {
      for (const word of ['secret of grace', 'größe ÿ>?>?'])
        for (const [name, coded] of Object.entries(codings)) {
          const bytes = coded(before + word + behind)
          assert.ok(
            formsOf(word).some((form) => bytes.includes(form)),
            name,
          )
          const other = coded(`${before}${word.slice(0, 7)}x${word.slice(8)}${behind}`)
          assert.ok(!formsOf(word).some((form) => other.includes(form)), name)
        }
    }),
  )
})
