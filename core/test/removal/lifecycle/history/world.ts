import {
  type ApplicationActor,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
  type StaffActor,
} from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { Observer } from '@countersign/core/ports'
import {
  answered,
  byNewKey,
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  failed,
  newApplication,
  newOrganization,
  plainArchives,
  plainCipher,
  plainPorts,
  plainRenderer,
  scriptedTransport,
} from '@countersign/core/testing'
import { StoreError } from '../../../../base/errors/store-error.ts'
import { observedEvents } from '../../../../base/ports/observed-events.ts'
import { Killed, mortalPorts } from '../../erasure/mortal.ts'
import { type Ports, portalUrl, start, value } from '../../erasure/world.ts'
import { watch } from './watch.ts'

export const system = { kind: 'system' } as const
export const ops: StaffActor = { kind: 'staff', name: 'ops' }

/** When a process dies: at which of its calls of store and blobs, before or after it took effect. */
export type Fate = Parameters<typeof mortalPorts>[1]

/** What is wrong with every process. */
export interface Faults {
  readonly ports?: (ports: Ports) => Ports
}

/** An application with a key for its sessions and one for its cases. */
export interface Sender {
  readonly applicationId: string
  readonly secret: string
  readonly application: ApplicationActor
}

/** An organization of the world. */
export interface Organization {
  readonly tenantId: string
  readonly admin: MemberActor
  readonly senders: readonly Sender[]
}

class Broken extends StoreError {}

/** Lets all promises settle. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Two organizations over one store, served by processes of which one lives at a time. */
export async function historyWorld(seed: number, faults: Faults = {}) {
  const memory = createMemoryStore({ collections, logs })
  const blobs = createMemoryBlobs()
  let processes = 0
  let clock = createManualClock(start, { settle })
  const watched = watch(memory, () => clock.now())
  const { problems } = watched
  const state = { isUp: true, broken: null as 'list' | 'remove' | 'scrub' | null }
  let current = newProcess({})

  /** Fails as long as it is broken. */
  function breaking<T>(what: typeof state.broken, run: () => Promise<T>): Promise<T> {
    return state.broken === what
      ? Promise.reject(new Broken('io', `the ${what} of the store is broken`))
      : run()
  }

  function newProcess(fate: Fate) {
    const number = ++processes
    clock = createManualClock(clock.now(), { settle })
    const own = clock
    let isDead = false
    const ports: Ports = {
      store: {
        ...watched.store,
        scrub: () => breaking('scrub', () => watched.store.scrub()),
      },
      blobs: {
        ...blobs,
        list: (query) => breaking('list', () => blobs.list(query)),
        remove: (paths) => breaking('remove', () => blobs.remove(paths)),
      },
      clock: own,
      cipher: plainCipher(),
      nextSeed: () => seed * 10_000 + number,
    }
    const mortal = mortalPorts(faults.ports?.(ports) ?? ports, fate)
    const transport = scriptedTransport(() => {
      if (isDead) throw new Killed()
      return state.isUp ? answered(200) : failed('connect')
    })
    const observer: Observer = {
      event: (name, facts) => {
        const error = 'error' in facts ? String(facts.error) : ''
        const isMeant = error.includes('Killed') || error.includes('is broken')
        const isHalfway = error.includes('the process ended halfway')
        if (isDead || isMeant || isHalfway || observedEvents[name].severity !== 'error') return
        problems.push(`${name}: ${error}`)
      },
    }
    const service = createService({
      ports: {
        ...plainPorts(mortal.nextSeed()),
        ...mortal,
        transport,
        observer,
        renderer: plainRenderer,
        archives: plainArchives,
      },
      ingestUrl: 'https://ingest.example',
      portalUrl,
      dispatcher: { pollMs: 5_000 },
    })
    service.start()
    const die = () => {
      isDead = true
    }
    return { service, clock: own, die }
  }

  function restart(fate: Fate = {}): void {
    current.die()
    current = newProcess(fate)
  }

  /** What a call answers; null where the process died in it. Anything else that it throws must not be. */
  async function call<T>(
    what: string,
    run: (service: Service) => Promise<Result<T>>,
  ): Promise<Result<T> | null> {
    const { service, clock: own } = current
    let isOpen = true
    try {
      const answer = run(service).finally(() => {
        isOpen = false
      })
      answer.catch(() => {})
      for (let turn = 0; isOpen && turn < 100; turn++) {
        await settle()
        if (turn > 5) await own.advance(100)
      }
      if (!isOpen) return await answer
      problems.push(`${what} does not end`)
    } catch (error) {
      if (error instanceof Killed) restart()
      else if (!(error instanceof Broken)) problems.push(`${what} throws ${String(error)}`)
    }
    return null
  }

  /** The call, whose answer must be one of these, beside `busy`. */
  async function expecting<T>(
    what: string,
    codes: readonly string[],
    run: (service: Service) => Promise<Result<T>>,
  ): Promise<Result<T> | null> {
    const result = await call(what, run)
    const code = result === null || result.ok ? 'ok' : result.refusal.code
    if (code !== 'busy' && code !== 'ok' && !codes.includes(code))
      problems.push(`${what} answers ${code}, expected ok, ${codes.join()}`)
    return result
  }

  async function pass(ms: number): Promise<void> {
    const { clock: own } = current
    await own.advance(ms)
    await settle()
  }

  const organizations = [
    await found(current.service, 'Acme', ['one', 'two']),
    await found(current.service, 'Beta', ['three']),
  ]
  return {
    ...watched,
    ...{ memory, blobs, organizations, state, restart, call, expecting, pass },
    now: () => clock.now(),
    jump: (ms: number) => clock.jump(ms),
  }
}

export type HistoryWorld = Awaited<ReturnType<typeof historyWorld>>

async function found(
  service: Service,
  name: string,
  applications: readonly string[],
): Promise<Organization> {
  const email = `ada@${name.toLowerCase()}.example`
  const { tenantId, admin } = await newOrganization(service, { name, email, plan: 'Enterprise' })
  const url = `https://${name.toLowerCase()}.example/`
  value(await service.webhooks.create(admin, { url, eventTypes: ['*'] }))
  const senders: Sender[] = []
  for (const each of applications) {
    const applicationId = await newApplication(service, admin, each)
    const type = 'primary ingest'
    const issued = value(
      await service.customerKeys.provision(system, { tenantId, applicationId, type }),
    )
    const application = await byNewKey(service, admin, applicationId)
    const callback = { url: `${url}outcome`, enabled: true } as const
    value(await service.applications.setOutcomeCallback(admin, { applicationId, ...callback }))
    senders.push({
      applicationId,
      secret: issued.value.split('.').at(-1) ?? '',
      application,
    })
  }
  return { tenantId, admin, senders }
}
