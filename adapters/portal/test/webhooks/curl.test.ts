import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import fc from 'fast-check'
import { curlOf } from '../../app/webhooks/curl.ts'

/** What curl is given by a shell that runs a command, in place of curl. */
function givenBy(command: string): readonly string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout.split('\0').slice(0, -1)
}

it('a request for curl gives it the address, headers and bytes as they are, whatever they hold', () => {
  const part = fc.constantFrom(
    "'",
    '"',
    '$(id)',
    '`id`',
    '\\',
    '\n',
    ' ; ',
    'é',
    '\u202e',
    'a',
    '!',
  )
  const text = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (value, body) => {
      const given = givenBy(
        curlOf('https://hooks.example/?a=1&b=$HOME', { 'webhook-id': value, host: 'h' }, body),
      )
      assert.deepEqual(given, [
        '-sS',
        '-i',
        '-X',
        'POST',
        'https://hooks.example/?a=1&b=$HOME',
        '-H',
        `webhook-id: ${value}`,
        '--data-raw',
        body,
      ])
    }),
    { numRuns: 40 },
  )
})
