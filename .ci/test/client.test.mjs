import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourcesOfClient } from '../client.mjs'
import { home } from '../packages.mjs'

test('the generated files of the client are those of the route table', () => {
  for (const [path, text] of Object.entries(sourcesOfClient()))
    assert.equal(
      readFileSync(join(home, path), 'utf8'),
      text,
      `${path} is not what the route table says: run npm run describe`,
    )
})
