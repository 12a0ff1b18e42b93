// Loaded before each test file. Node's runner follows each promise of a test by hooks, only to name the test of an error
// that nobody caught; tests on a manual clock make so many that this is more than half of their time. Here it follows
// nothing but its own tests, which it has to find for `describe`; such an error fails the file, and is shown where it happens.
import asyncHooks from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

const { AsyncResource, createHook } = asyncHooks
const hooks = []

asyncHooks.createHook = (hook) => {
  const made = {
    enable() {
      hooks.push(hook)
      return made
    },
    disable: () => made,
  }
  return made
}
asyncHooks.AsyncResource = class extends AsyncResource {
  constructor(type, options) {
    super(type, options)
    for (const { init } of hooks) init?.(this.asyncId(), type, this.triggerAsyncId(), this)
  }
}
// Takes both as they are now.
await import('node:test')
asyncHooks.AsyncResource = AsyncResource
asyncHooks.createHook = createHook

// The runner tells the message alone, and before a file's first test it does not listen at all: then an error that is
// listened for here would end nothing, and a file that can't be loaded would pass. Not in the parent of the test files,
// which has no such errors, nor in their threads, which load this too: an error that nobody caught ends a thread, and one
// that is listened for does not.
if (process.env.NODE_TEST_CONTEXT && isMainThread)
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.prependListener(event, (error) => {
      console.error(error)
      process.exitCode = 1
    })
