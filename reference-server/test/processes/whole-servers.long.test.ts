import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { seededRandom } from '@countersign/core/testing'
import Database from 'better-sqlite3'
import { createClient, must } from '../../demo/client.ts'
import { auditedEntries, gatherEvidence, unsettled } from '../../demo/evidence.ts'
import { pause, until } from '../../demo/processes.ts'
import { missing, postgresServer } from '../postgres-server.ts'
import { scratchDirectory } from './scratch.ts'
import { openSink, type Sink } from './sink.ts'
import { openingOf, prepareStage, type Stage, type StagedServer } from './stage.ts'

const { COUNTERSIGN_PROVE: whole } = process.env
const kills = whole ? 8 : 4

interface Place {
  readonly name: string
  readonly skip: string | false
  /** Settings of the servers that share the database. */
  settings(): Promise<Readonly<Record<string, string>>>
  /** Looks whether the database is whole after kills. */
  check(stage: Stage): Promise<void>
}

const places: readonly Place[] = [
  {
    name: 'on one SQLite file',
    skip: false,
    settings: async () => ({}),
    check: async ({ setup }) => {
      const db = new Database(setup.files.database, { readonly: true })
      assert.equal(db.pragma('quick_check', { simple: true }), 'ok')
      db.close()
    },
  },
  {
    name: 'on one PostgreSQL database',
    skip: missing ?? false,
    settings: async () => ({ COUNTERSIGN_DATABASE_URL: (await postgresServer()).url }),
    check: async ({ setup }) => assert.ok((await auditedEntries(setup)) > 0),
  },
]

for (const { name, skip, settings, check } of places)
  describe(`whole servers over HTTP ${name}`, { skip }, () => {
    const directory = scratchDirectory()
    let stage: Stage
    let sink: Sink
    const acknowledged = new Set<string>()

    before(async () => {
      stage = await prepareStage(directory, await settings())
      sink = await openSink(stage.setup)
    })
    after(async () => {
      sink.close()
      await stage.end()
    })

    async function openOne(server: StagedServer, name: string): Promise<string | null> {
      const asked = server.application.ask('POST', '/v1/review-cases', openingOf(name))
      const answer = await asked.catch(() => null)
      if (answer?.status !== 200) return null
      const id = String(answer.body.reviewCaseId)
      acknowledged.add(id)
      return id
    }

    async function nothingIsForgotten(): Promise<void> {
      const { cases } = await gatherEvidence(stage.setup)
      const kept = new Set(cases.map(({ reviewCaseId }) => reviewCaseId))
      const lost = [...acknowledged].filter((id) => !kept.has(id))
      assert.deepEqual(lost, [], 'acknowledged and not there')
    }

    async function nothingIsUnsent(): Promise<void> {
      const { sent } = await gatherEvidence(stage.setup)
      const unsent = sent.filter(
        ({ id, status }) => status !== 'delivered' || !sink.answered.has(id),
      )
      assert.deepEqual(unsent, [])
    }

    it('two share the work, and one of two decisions counts', async () => {
      const servers = await Promise.all([stage.start(), stage.start()])
      const reviewers = await Promise.all(servers.map((server) => loggedIn(server)))
      const opened = await Promise.all(
        Array.from({ length: 40 }, (_, at) => {
          const server = servers[at % 2]
          assert.ok(server)
          return openOne(server, `shared-${at}`)
        }),
      )
      assert.ok(opened.every((id) => id !== null))
      for (const id of opened.slice(0, 10)) {
        const [first, second] = reviewers
        assert.ok(first && second)
        const path = `/v1/review-cases/${id}`
        const seen = await must(first.ask('POST', `${path}/claim`, {}))
        const decision = {
          caseVersion: seen.caseVersion,
          presentationDigest: seen.presentationDigest,
        }
        const answers = await Promise.all([
          first.ask('POST', `${path}/decide`, { ...decision, decision: 'approved' }),
          second.ask('POST', `${path}/decide`, { ...decision, decision: 'rejected' }),
        ])
        assert.deepEqual(
          answers.map(({ status }) => status).sort((a, b) => a - b),
          [200, 409],
        )
        const winner = answers.findIndex(({ status }) => status === 200)
        const now = await must(second.ask('GET', path))
        assert.equal(now.decision, winner === 0 ? 'approved' : 'rejected')
      }
      await Promise.all(reviewers.map((reviewer) => reviewer.close()))
      await until('everything to be sent', 60_000, async () => (await unsettled(stage.setup)) === 0)
      await nothingIsForgotten()
      await nothingIsUnsent()
      for (const server of servers) {
        server.process.kill('SIGTERM')
        assert.equal(await server.exit, 0)
      }
    })

    it('of two, one is killed again and again: the other goes on, and nothing is lost', async () => {
      const stays = await stage.start()
      for (let kill = 0; kill < 3; kill++) {
        const dies = await stage.start()
        const before = acknowledged.size
        const ended = new AbortController()
        const load = Promise.all(
          [stays, dies].flatMap((server, at) =>
            [0, 1, 2].map(async (player) => {
              for (let round = 0; !ended.signal.aborted; round++)
                if ((await openOne(server, `two-${kill}-${at}-${player}-${round}`)) === null) {
                  assert.ok(server === dies, 'the one that stays answers')
                  await pause(20)
                }
            }),
          ),
        )
        await until('the load to run', 10_000, async () => acknowledged.size > before + 20)
        dies.process.kill('SIGKILL')
        await dies.exit
        const then = acknowledged.size
        await until('the other to go on', 20_000, async () => acknowledged.size > then + 20)
        ended.abort()
        await load
      }
      await until('everything to be sent', 90_000, async () => (await unsettled(stage.setup)) === 0)
      await nothingIsForgotten()
      await nothingIsUnsent()
      await check(stage)
      stays.process.kill('SIGTERM')
      assert.equal(await stays.exit, 0)
    })

    it(`killed ${kills} times in a burst, lose nothing`, async () => {
      const random = seededRandom(Number(process.env.FC_SEED ?? 1))
      for (let kill = 0; kill < kills; kill++) {
        const server = await stage.start()
        const before = acknowledged.size
        const load = Promise.all(
          Array.from({ length: 6 }, async (_, player) => {
            for (let round = 0; round < 1_000; round++)
              if ((await openOne(server, `${kill}-${player}-${round}`)) === null) return
          }),
        )
        await until('the load to run', 10_000, async () => acknowledged.size > before)
        await pause(1 + ((random.bytes(1)[0] ?? 0) % 60))
        server.process.kill('SIGKILL')
        await Promise.all([server.exit, load])
      }
      await nothingIsForgotten()
      await check(stage)
    })

    async function loggedIn(server: StagedServer) {
      const common = { origin: server.portal, caFile: stage.setup.caFile }
      const stranger = createClient(common)
      const { email, password } = stage.organization.admin
      const session = await must(stranger.ask('POST', '/v1/auth/login', { email, password }))
      await stranger.close()
      const cookie = `${session.cookieName}=${session.token}`
      return createClient({ ...common, headers: { cookie } })
    }
  })
