import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { scratchDirectory } from './scratch.ts'
import { openingOf, prepareStage } from './stage.ts'

describe('a server whose thread that writes has ended', () => {
  it('says so and ends too, for it could only refuse; the next one goes on', async () => {
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
      const open = async ({ application }: typeof first) =>
        (await application.ask('POST', '/v1/review-cases', openingOf('once'))).body.reviewCaseId
      const opened = await open(first)
      first.process.kill('SIGUSR2')
      assert.equal(await first.exit, 1)
      assert.match(complaint, /^countersign: .*the thread that writes has ended/)
      assert.equal(await open(await stage.start()), opened)
    } finally {
      await stage.end()
    }
  })
})
