import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../node-flags.ts'

const home = fileURLToPath(new URL('../../..', import.meta.url))
const command = ['node', ...nodeFlags]

/** Where a command that starts the server is written down, in the form that it has there. */
const written: Readonly<Record<string, string>> = {
  'package.json': `${command.join(' ')} reference-server/dist/programs/start.js`,
  'reference-server/Dockerfile': `CMD ${JSON.stringify([...command, 'reference-server/dist/programs/serve.js']).replaceAll(',', ', ')}`,
  'reference-server/README.md': `\`${command.join(' ')} reference-server/dist/programs/serve.js\``,
}

for (const [file, start] of Object.entries(written))
  it(`${file} starts the server with the flags that tests and figures run with`, () => {
    assert.ok(readFileSync(join(home, file), 'utf8').includes(start), `expected ${start}`)
  })
