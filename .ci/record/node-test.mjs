// Stands in for `node:test` under the recorder: runs only the named tests, each under its names.
import { AsyncLocalStorage } from 'node:async_hooks'
import * as plain from 'node:test'
import { recorderKey } from './recorder.mjs'

export * from 'node:test'

const recorder = globalThis[recorderKey]
/** Names of the suites around, outermost first. */
const suites = new AsyncLocalStorage()
const within = (name) => [...(suites.getStore() ?? []), name]

const replacing = (run, replacement) =>
  Object.assign(replacement, { skip: run.skip, todo: run.todo, only: run.only })

const named = (run) =>
  replacing(run, (name, ...rest) => {
    const names = within(name)
    if (!recorder.wants(names)) return Promise.resolve()
    const body = rest.at(-1)
    return run(name, ...rest.slice(0, -1), (t) => recorder.during(names, () => body(t)))
  })

const suite = (run) =>
  replacing(run, (name, ...rest) => {
    const body = rest.at(-1)
    return run(name, ...rest.slice(0, -1), (s) => suites.run(within(name), () => body(s)))
  })

export const test = named(plain.test)
export const it = named(plain.it)
export const describe = suite(plain.describe)
export default test
