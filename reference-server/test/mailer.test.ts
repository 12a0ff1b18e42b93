import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Mail } from '@countersign/core/ports'
import { ConfigError } from '../config.ts'
import { openMailer } from '../mailer.ts'
import { scratchDirectory } from './processes/scratch.ts'

describe('the module of COUNTERSIGN_MAILER', () => {
  const directory = scratchDirectory()
  const write = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }

  it('sends mails by its function send', async () => {
    const path = write(
      'mailer.mjs',
      'export const sent = []\nexport async function send(mail) { sent.push(mail) }\n',
    )
    const mail = { to: 'eve@acme.example', subject: 'a', text: 'b', idempotencyKey: 'mail_1' }
    await (await openMailer(path)).send(mail)
    const { sent } = (await import(path)) as { readonly sent: readonly Mail[] }
    assert.deepEqual(sent, [mail])
  })

  it('is refused without it, and where there is none', async () => {
    for (const path of [
      write('empty.mjs', 'export default {}\n'),
      write('broken.mjs', 'throw new Error("no relay")\n'),
      join(directory, 'none.mjs'),
    ])
      await assert.rejects(
        openMailer(path),
        (error) => error instanceof ConfigError && error.message.includes('COUNTERSIGN_MAILER: '),
      )
  })
})
