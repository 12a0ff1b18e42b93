import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { scratchDirectory } from './scratch.ts'
import { openingOf, prepareStage, type StagedServer } from './stage.ts'

/** Asks again while the server says that it can't tell whether the opening was written. */
async function open({ application }: StagedServer, key: string): Promise<unknown> {
  for (;;) {
    const { status, body } = await application.ask('POST', '/v1/review-cases', openingOf(key))
    if (status !== 503) return body.reviewCaseId
  }
}

describe('a server whose writer thread ends', () => {
  it('starts it again; ends itself once that fails, and the next server goes on', async () => {
    const stage = await prepareStage(scratchDirectory())
    try {
      const preload = new URL('./end-writer-preload.js', import.meta.url)
      let complaint = ''
      const first = await stage.start({
        preload,
        complaint: (text) => {
          complaint += text
        },
      })
      const before = await open(first, 'before')
      first.process.kill('SIGUSR2')
      const after = await open(first, 'after')
      assert.equal(await open(first, 'before'), before)

      first.process.kill('SIGUSR2')
      // Work makes it try: each try ends, and the fourth end is the last.
      const asking = (async () => {
        for (let at = 0; first.process.exitCode === null; at++)
          await open(first, `never ${at}`).catch(() => null)
      })()
      assert.equal(await first.exit, 1)
      await asking
      assert.match(complaint, /^countersign: .*the thread that writes has ended/)
      const next = await stage.start()
      assert.deepEqual([await open(next, 'before'), await open(next, 'after')], [before, after])
    } finally {
      await stage.end()
    }
  })
})
