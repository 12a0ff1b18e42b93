import { erasureRequests, legalHolds, reviewCases, webhooks } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import { freshUrl } from './hook-acts.ts'
import { releaseHold } from './session-acts.ts'
import type { Stage } from './stage.ts'

/** After the faults the owner turns on what is off, replays what was given up, and reads what there is. */
export async function mend(stage: Stage): Promise<void> {
  const { truth, client, cast, world } = stage
  const draw = seededRandom(world.plan.seed)
  const { admin } = cast
  for (const [id, { row }] of [...truth.rows(webhooks)]) {
    if (row.goneUrls.length) {
      const url = freshUrl(stage, draw, 'mended')
      await client.ask(draw, `move ${id}`, (service) =>
        service.webhooks.update(admin, { webhookId: id, url }),
      )
    }
    if (row.status === 'turned_off') {
      const on = await client.ask(draw, `mend ${id}`, (service) =>
        service.webhooks.turnOn(admin, { webhookId: id }),
      )
      if (on.kind !== 'ok')
        world.broken('comes to rest', `${id} can't be turned on again: ${on.kind}`)
    }
  }
  for (const { applicationId } of cast.applications) {
    const url = freshUrl(stage, draw, 'callback')
    await client.ask(draw, 'mend callback', (service) =>
      service.applications.setOutcomeCallback(admin, { applicationId, url, enabled: true }),
    )
  }
  // What an erasure took can't be sent again.
  for (const [id, { row }] of [...truth.rows(reviewCases)])
    if (row.callback.state === 'failed' && row.presentation !== null) {
      const again = await client.ask(draw, `replay callback of ${id}`, (service) =>
        service.reviewCases.replayCallback(admin, { reviewCaseId: id }),
      )
      if (again.kind !== 'ok' && !stage.gone.has(id))
        world.broken('comes to rest', `the callback of ${id} can't be replayed`)
    }
}

/** Releases the holds that an erasure waits for, else it would never end; the others stay. */
export async function releaseHolds(stage: Stage): Promise<void> {
  const { client, world } = stage
  const draw = seededRandom(world.plan.seed)
  // What was asked for while faults happened may be answered some minutes after.
  for (const waitMs of [0, 10 * 60_000, 60 * 60_000]) {
    await client.wait(waitMs)
    await releaseBlocking(stage, draw)
  }
}

async function releaseBlocking(stage: Stage, draw: SeededRandom): Promise<void> {
  const { truth } = stage
  const blocked = [...truth.rows(erasureRequests).values()].filter(({ row }) => row.underWay === 1)
  for (const { row } of [...truth.rows(legalHolds).values()])
    if (row.active === 1 && blocked.some((one) => one.row.dataSubjectId === row.dataSubjectId))
      await releaseHold(stage, row.holdId, draw)
}
