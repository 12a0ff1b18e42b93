// Notes what comes by in a process, under the name of the test during which it did.
import { AsyncLocalStorage } from 'node:async_hooks'
import { nameForm } from './name-form.mjs'
import { statesIn } from './states.mjs'

/** Where a process has its recorder; the loader hooks write this symbol into the places that they change. */
export const recorderKey = Symbol.for('countersign.recorder')

/** `only`: names of the tests to run, as their sources have them; null: all. */
export function createRecorder({ only = null } = {}) {
  const forms = only?.map(nameForm)
  const tests = new Map()
  /** For each route, the operations of the core that its handler called. */
  const handlers = new Map()
  const running = new Set()
  const around = new AsyncLocalStorage()
  const route = new AsyncLocalStorage()

  /** What runs outside of any test's own calls is noted only while there is no doubt whose it is. */
  function note(text) {
    const own = around.getStore()
    const name = running.has(own) ? own : running.size === 1 ? [...running][0] : null
    if (name !== null) tests.get(name).add(text)
  }

  const noteStates = (value) => {
    for (const state of statesIn(value)) note(`state ${state}`)
  }

  function noteResult(operation, actor, result) {
    if (result?.ok === true) {
      note(`done ${operation} ${actor}`)
      noteStates(result.value)
      return result.value?.pieces ? { ...result, value: watched(result.value) } : result
    }
    if (result?.ok === false) note(`code ${result.refusal.code}`)
    else {
      note(`done ${operation} ${actor}`)
      noteStates(result)
    }
    return result
  }

  /** A list whose rows are noted as they are read. */
  function watched(listing) {
    const { pieces } = listing
    const own = {
      next: async () => {
        const step = await pieces.next()
        noteStates(step.value)
        return step
      },
      return: (value) => pieces.return?.(value) ?? Promise.resolve({ done: true, value }),
      throw: (error) => pieces.throw?.(error) ?? Promise.reject(error),
      [Symbol.asyncIterator]: () => own,
    }
    return { ...listing, pieces: own }
  }

  function noteHandler(operation) {
    const row = route.getStore()
    if (!row) return
    if (!handlers.has(row)) handlers.set(row, new Set())
    handlers.get(row).add(operation)
  }

  return {
    /** Whether a test is to run; `names` are its suites' and, last, its own. */
    wants: (names) => !forms || forms.some((form) => names.some((name) => form.test(name))),
    during: async (names, body) => {
      const name = JSON.stringify(names)
      if (!tests.has(name)) tests.set(name, new Set())
      running.add(name)
      try {
        return await around.run(name, body)
      } finally {
        running.delete(name)
      }
    },
    /** A group of the facade whose calls are noted. */
    operations: (group, made) =>
      Object.fromEntries(
        Object.entries(made).map(([name, call]) => {
          if (typeof call !== 'function') return [name, call]
          const operation = `${group}.${name}`
          const noted = (...given) => {
            const actor = given[0]?.kind ?? 'nobody'
            noteHandler(operation)
            const result = call(...given)
            return typeof result?.then === 'function'
              ? result.then((settled) => noteResult(operation, actor, settled))
              : noteResult(operation, actor, result)
          }
          return [name, noted]
        }),
      ),
    handling: (row, handle) => route.run(`${row.method} ${row.host} ${row.path}`, handle),
    /** One request of a row of the route table. */
    request: async (row, ctx, answer) => {
      await answer()
      const granted = ctx.status < 400
      if (granted) note(`route ${row.method} ${row.host} ${row.path}`)
      if (isPlain(ctx.body)) {
        if (granted) noteStates(ctx.body)
        else note(`code ${String(ctx.body.type).split(':').at(-1)}`)
      } else if (ctx.body?.pipe) watchText(ctx.res, noteStates)
    },
    /** A store whose commits are noted: the types of messages that are owed. */
    store: function watch(store) {
      const { commit } = store
      const noted = async (set) => {
        const outcome = await commit.call(store, set)
        if (outcome.committed)
          for (const { in: collection, row } of set.puts ?? [])
            if (collection === 'messages') note(`event ${row.type}`)
        return outcome
      }
      const watched = Object.create(Object.getPrototypeOf(store))
      const { reopen } = store
      return Object.assign(watched, store, {
        commit: noted,
        // The same rows, as another process has them.
        ...(reopen && { reopen: (...given) => watch(reopen.apply(store, given)) }),
      })
    },
    notes: () => ({
      tests: [...tests].map(([name, seen]) => ({
        names: JSON.parse(name),
        seen: [...seen].sort(),
      })),
      handlers: Object.fromEntries([...handlers].map(([row, seen]) => [row, [...seen].sort()])),
    }),
  }
}

const isPlain = (body) =>
  typeof body === 'object' &&
  body !== null &&
  [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(body))

/** Longer answers are archives and whole lists, whose records other tests look at. */
const longestText = 1_000_000

/** Hears the JSON that is streamed as a response. */
function watchText(response, hear) {
  const { write, end } = response
  let text = ''
  const take = (chunk) => {
    if (chunk && typeof chunk !== 'function' && text.length < longestText) text += String(chunk)
  }
  response.write = (...given) => {
    take(given[0])
    return write.apply(response, given)
  }
  response.end = (...given) => {
    take(given[0])
    try {
      hear(JSON.parse(text))
    } catch {
      // An archive, or a list that broke off.
    }
    return end.apply(response, given)
  }
}
