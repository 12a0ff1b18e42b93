import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import { challengeOf } from '@countersign/core/webauthn'
import { createClient, must } from '../../demo/client.ts'
import { gatherEvidence, unsettled } from '../../demo/evidence.ts'
import { pause, until } from '../../demo/processes.ts'
import { scratchDirectory } from './scratch.ts'
import { openSink, type Sink } from './sink.ts'
import { openingOf, prepareStage, type Stage, type StagedServer } from './stage.ts'

const kills = 6
const enrolmentKills = 4
const origin = 'https://portal.example'
/** As people see it, whatever port the next process has. */
const environment = { COUNTERSIGN_PORTAL_URL: origin }

type Body = Readonly<Record<string, unknown>>

describe('signed decisions of servers that are killed', () => {
  const authenticator = createSoftwareAuthenticator({
    ...{ algorithm: 'ES256', rpId: 'portal.example', origin },
  })
  let stage: Stage
  let sink: Sink
  let cookie = ''

  before(async () => {
    stage = await prepareStage(scratchDirectory())
    sink = await openSink(stage.setup)
    const server = await stage.start({ environment })
    cookie = await loggedIn(server)
    await enrol(server, authenticator)
    server.process.kill('SIGKILL')
    await server.exit
  })
  after(async () => {
    sink.close()
    await stage.end()
  })

  function adminOf(server: StagedServer) {
    return createClient({
      ...{ origin: server.portal, caFile: stage.setup.caFile },
      headers: { cookie },
    })
  }

  async function loggedIn(server: StagedServer): Promise<string> {
    const { email, password } = stage.organization.admin
    const answer = adminOf(server).ask('POST', '/v1/auth/login', { email, password })
    const { cookieName, token } = await must(answer)
    return `${String(cookieName)}=${String(token)}`
  }

  async function enrol(server: StagedServer, by: SoftwareAuthenticator): Promise<void> {
    const admin = adminOf(server)
    const own = '/v1/auth/authenticators'
    const { password } = stage.organization.admin
    const use = 'signing'
    const begun = await must(admin.ask('POST', `${own}/registrations`, { use, password }))
    const { challenge } = begun.options as { readonly challenge: string }
    const { id, response } = by.register({ challenge })
    await must(admin.ask('POST', own, { name: 'Key', use, credential: { id, response } }))
    await admin.close()
  }

  /**
   * Kills a server before a request is sent at all (the first time), or somewhere between its sending and its answer. Resolves
   * to the status that it answered; null where none came.
   */
  async function killed(
    {
      kill,
      random,
      server,
    }: { readonly kill: number; readonly random: SeededRandom; readonly server: StagedServer },
    send: () => Promise<{ readonly status: number }>,
  ): Promise<number | null> {
    const sent = kill === 0 ? null : send().catch(() => null)
    if (kill > 0) await pause((random.bytes(1)[0] ?? 0) % 24)
    server.process.kill('SIGKILL')
    await server.exit
    return (await sent)?.status ?? null
  }

  /** A case that is claimed, with its decision as the reviewer signed it. */
  async function signed(server: StagedServer, name: string) {
    const opened = await must(server.application.ask('POST', '/v1/review-cases', openingOf(name)))
    const path = `/v1/review-cases/${String(opened.reviewCaseId)}`
    const admin = adminOf(server)
    const { caseVersion, presentationDigest } = await must(admin.ask('POST', `${path}/claim`, {}))
    const choice = { caseVersion, presentationDigest, decision: 'approved', comment: 'Agreed.' }
    const stated = await must(admin.ask('POST', `${path}/decision-statement`, choice))
    await admin.close()
    const { statement, nonces } = stated as { readonly statement: object; readonly nonces: object }
    const assertion = authenticator.assert({ challenge: challengeOf(statement) })
    return { path, choice, signature: { statement, nonces, ...assertion } }
  }

  it(`count once, whether ${kills} kills come before, during or after them`, async () => {
    const random = seededRandom(Number(process.env.FC_SEED ?? 1))
    const decided: { readonly path: string; readonly signature: Body }[] = []
    const answers = new Set<number>()
    for (let kill = 0; kill < kills; kill++) {
      const first = await stage.start({ environment })
      const other = await signed(first, `other-${kill}`)
      const own = await signed(first, `own-${kill}`)
      const given = { ...own.choice, signature: own.signature }
      const dying = adminOf(first)
      const told = await killed({ kill, random, server: first }, () =>
        dying.ask('POST', `${own.path}/decide`, given),
      )
      await dying.close()

      const second = await stage.start({ environment })
      const admin = adminOf(second)
      const before = await must(admin.ask('GET', own.path))
      if (told === 200) assert.equal(before.state, 'decided', 'acknowledged and lost')
      const again = await admin.ask('POST', `${own.path}/decide`, given)
      answers.add(again.status)
      assert.equal(again.status === 200, before.state !== 'decided', JSON.stringify(again.body))
      // The signature of one is none of another.
      const stolen = { ...other.choice, signature: own.signature }
      const refused = await admin.ask('POST', `${other.path}/decide`, stolen)
      assert.equal(refused.status, 422, JSON.stringify(refused.body))
      assert.notEqual((await must(admin.ask('GET', other.path))).state, 'decided')
      decided.push(own)
      await admin.close()
      second.process.kill('SIGKILL')
      await second.exit
    }
    assert.ok(answers.has(200), 'no decision came after its process was killed')

    const last = await stage.start({ environment })
    await until('everything to be sent', 60_000, async () => (await unsettled(stage.setup)) === 0)
    const admin = adminOf(last)
    for (const { path, signature } of decided) {
      const { decision, history, decisionSignature } = await must(admin.ask('GET', path))
      assert.equal(decision, 'approved')
      assert.equal((decisionSignature as Body).signature, signature.signature)
      const steps = (history as readonly Body[]).filter(({ step }) => step === 'decided')
      assert.equal(steps.length, 1, JSON.stringify(history))
    }
    await admin.close()
    const { cases } = await gatherEvidence(stage.setup)
    assert.equal(cases.filter(({ outcome }) => outcome === 'approved').length, kills)
  })
  it('enrol an authenticator once or not at all, whenever between its registration and its answer', async () => {
    const random = seededRandom(Number(process.env.FC_SEED ?? 1) + 1)
    const own = '/v1/auth/authenticators'
    const answers = new Set<number>()
    let signer = authenticator
    for (let kill = 0; kill < enrolmentKills; kill++) {
      const first = await stage.start({ environment })
      const dying = adminOf(first)
      const stated = await must(dying.ask('POST', `${own}/change-statement`, { change: 'add' }))
      const { statement } = stated as { readonly statement: object }
      const assertion = { statement, ...signer.assert({ challenge: challengeOf(statement) }) }
      const registration = { use: 'signing', assertion }
      const begun = await must(dying.ask('POST', `${own}/registrations`, registration))
      const { challenge } = begun.options as { readonly challenge: string }
      const next = createSoftwareAuthenticator({
        ...{ algorithm: 'ES256', rpId: 'portal.example', origin },
      })
      const { id, response } = next.register({ challenge })
      const given = { name: `Key ${kill}`, use: 'signing', credential: { id, response } }
      const told = await killed({ kill, random, server: first }, () =>
        dying.ask('POST', own, given),
      )
      await dying.close()

      const second = await stage.start({ environment })
      const admin = adminOf(second)
      const enrolled = async () => {
        const { authenticators } = await must(admin.ask('GET', own))
        return (authenticators as readonly Body[]).filter(({ credentialId }) => credentialId === id)
      }
      const before = await enrolled()
      if (told === 200) assert.equal(before.length, 1, 'acknowledged and lost')
      // What was begun with the process that died goes on with another one, once.
      const again = await admin.ask('POST', own, given)
      answers.add(again.status)
      assert.equal(again.status, before.length === 0 ? 200 : 422, JSON.stringify(again.body))
      const late = await admin.ask('POST', own, given)
      assert.equal(late.status, 422, JSON.stringify(late.body))
      assert.equal((await enrolled()).length, 1)
      const entries = await must(
        admin.ask('GET', '/v1/customer/audit-log?action=authenticator.enrolled'),
      )
      const logged = (entries.entries as readonly Body[]).filter(({ detail }) => {
        const { credentialId } = detail as Body
        return credentialId === id
      })
      assert.equal(logged.length, 1, 'entries of the log')
      // The assertion that began it begins nothing else.
      const replayed = await admin.ask('POST', `${own}/registrations`, registration)
      assert.equal(replayed.status, 422, JSON.stringify(replayed.body))
      await admin.close()
      second.process.kill('SIGKILL')
      await second.exit
      signer = next
    }
    assert.ok(answers.has(200), 'no enrolment came after its process was killed')
  })
})
