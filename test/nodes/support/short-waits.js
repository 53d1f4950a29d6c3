/**
 * Loaded before Node-RED: the waits between the attempts of a read are random parts of a bound; here, small ones, and the
 * same every time.
 */
let state = 1;

Math.random = () => {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647 / 16;
};
