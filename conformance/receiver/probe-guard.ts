import { type Probe, ProbeError } from './probe.ts'
import { fail } from './session.ts'
import type { Target } from './target.ts'

/** A probe often lives in its receiver: when both are gone, that is the receiver's failure and no broken probe. */
export function guard<A extends readonly unknown[], T>(
  call: (...args: A) => Promise<T>,
  { alive }: Pick<Target, 'alive'>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    try {
      return await call(...args)
    } catch (error) {
      if (!(error instanceof ProbeError) || (await alive())) throw error
      return fail('the receiver died, and its probe with it')
    }
  }
}

export function guardProbe(probe: Probe, target: Pick<Target, 'alive'>): Probe {
  const { read, restart, setClock, setDelay, setStoreFailure } = probe
  return {
    read: guard(read.bind(probe), target),
    ...(restart && { restart: guard(restart.bind(probe), target) }),
    ...(setClock && { setClock: guard(setClock.bind(probe), target) }),
    ...(setDelay && { setDelay: guard(setDelay.bind(probe), target) }),
    ...(setStoreFailure && { setStoreFailure: guard(setStoreFailure.bind(probe), target) }),
  }
}
