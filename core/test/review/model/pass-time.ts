import type { AsyncCommand } from 'fast-check'
import type { Bench } from '../bench.ts'
import { assertWorld, type Model } from './world.ts'

/** Steps the wall clock, in either direction, with nobody awake to notice. */
export class PassTime implements AsyncCommand<Model, Bench> {
  readonly ms: number

  constructor(ms: number) {
    this.ms = ms
  }

  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    bench.clock.jump(this.ms)
    model.now += this.ms
    assertWorld(model, bench)
  }

  toString(): string {
    return `time(${this.ms} ms)`
  }
}
