import type { ChangeSet, Read, Store } from '@countersign/core/ports'
import { commands, situations, works } from './commands.ts'
import { type Command, stateOf, type World, world } from './world.ts'

/** What is wrong with the store. */
export type Fault = (store: Store) => Store['commit']

interface Outcome {
  readonly answers: readonly string[]
  readonly state: string
}

interface Alone extends Outcome {
  readonly reads: number
  readonly read: ReadonlySet<string>
  readonly written: ReadonlySet<string>
}

/** Written by most commands, with what decides none of them. */
const told = new Set(['messages', 'deliveries', 'workItems', 'routings', 'mails'])

/** Runs pairs of commands in one situation, the second at every point between two reads of the first. */
export function interleaver(situation: string, fault?: Fault) {
  const alone = new Map<string, Alone>()

  async function inSituation(): Promise<World> {
    const w = await world(fault)
    await situations[situation]?.(w)
    return w
  }

  async function answerOf(w: World, name: string): Promise<string> {
    const result = await commandOf(name)(w)
    return result.ok ? 'ok' : result.refusal.code
  }

  async function inTurn(...names: readonly string[]): Promise<Outcome> {
    const w = await inSituation()
    const answers = []
    for (const name of names) answers.push(await answerOf(w, name))
    return { answers, state: stateOf(w).join('\n') }
  }

  async function runAlone(name: string): Promise<Alone> {
    const known = alone.get(name)
    if (known) return known
    let counting = false
    let reads = 0
    const read = new Set<string>()
    const written = new Set<string>()
    const w = await world((store) => async (set) => {
      if (counting) for (const each of writtenBy(set)) written.add(each)
      return (fault?.(store) ?? store.commit)(set)
    })
    await situations[situation]?.(w)
    counting = true
    w.actBehindReads(async (asked) => {
      if (!isShared(asked)) reads++
      for (const each of asked) read.add('get' in each ? each.get : 'list' in each ? each.list : '')
    })
    const answers = [await answerOf(w, name)]
    const found = { answers, state: stateOf(w).join('\n'), reads, read, written }
    alone.set(name, found)
    return found
  }

  return {
    /** The pairs of which the second writes what the first reads. */
    async pairs(): Promise<readonly (readonly [string, string])[]> {
      const found: [string, string][] = []
      for (const first of Object.keys(commands)) {
        const { read } = await runAlone(first)
        for (const second of [...Object.keys(commands), ...Object.keys(works)]) {
          const { written } = await runAlone(second)
          if ([...written].some((each) => read.has(each) && !told.has(each)))
            found.push([first, second])
        }
      }
      return found
    },

    /**
     * Says where the two did not come out as one after the other, or null. A first command that is refused and changes
     * nothing is right whatever its refusal says.
     */
    async fault(first: string, second: string): Promise<string | null> {
      const { reads } = await runAlone(first)
      const without = await runAlone(second)
      const orders = [await inTurn(first, second)]
      const turned = await inTurn(second, first)
      orders.push({ ...turned, answers: turned.answers.toReversed() })
      for (let point = 1; point <= reads; point++) {
        const w = await inSituation()
        let passed = 0
        let other: string | null = null
        w.actBehindReads(async (asked) => {
          if (isShared(asked) || ++passed !== point) return
          w.actBehindReads(null)
          other = await answerOf(w, second)
        })
        const own = await answerOf(w, first)
        const state = stateOf(w).join('\n')
        const answers = [own, other ?? 'never run']
        const isOneOf = orders.some(
          (each) => each.state === state && each.answers.join() === answers.join(),
        )
        const isRefused = own !== 'ok' && other === without.answers[0] && state === without.state
        if (!isOneOf && !isRefused)
          return `${first} / ${second}, behind read ${point} of ${reads}: ${answers.join(' / ')}; in turn ${orders.map((each) => each.answers.join(' / ')).join(' or ')}`
      }
      return null
    },
  }
}

/** Read once for all who wait for it: what comes in the midst of such a read would wait for itself. */
function isShared(asked: readonly Read[]): boolean {
  return asked.some((each) =>
    'get' in each ? each.get === 'issuerKeyRings' : 'list' in each && each.list === 'failedTries',
  )
}

function commandOf(name: string): Command {
  const command = commands[name] ?? works[name]
  if (!command) throw new TypeError(`expected a command, got ${name}`)
  return command
}

function writtenBy({ puts = [], removes = [], ranges = [] }: ChangeSet): readonly string[] {
  return [...puts, ...removes, ...ranges].map((each) => each.in)
}
