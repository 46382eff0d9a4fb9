/* Hides what was not asked for, and sections in which nothing is left; says how much is shown. */
(function () {
  'use strict';
  var form = document.getElementById('saring');
  if (!form) return;
  var get = function (name) { return document.getElementById('f-' + name); };
  var groups = Array.prototype.slice.call(document.querySelectorAll('article'));
  var sections = Array.prototype.slice.call(document.querySelectorAll('section.dataset'));
  var texts = groups.map(function (g) { return g.textContent.toLowerCase(); });
  var last = '';
  function apply() {
    var d = get('d').value, s = get('s').value, r = get('r').value, t = get('t').value.trim().toLowerCase(), n = 0;
    groups.forEach(function (g, i) {
      g.hidden = !((!d || g.dataset.d === d) && (!s || g.dataset.s === s) && (!r || g.dataset.r === r) && (!t || texts[i].indexOf(t) >= 0));
      if (!g.hidden) n++;
    });
    sections.forEach(function (x) { x.hidden = Boolean(d || s || r || t) && !x.querySelector('article:not([hidden])'); });
    var said = n + ' ' + form.dataset.of + ' ' + groups.length;
    if (said !== last) get('n').textContent = last = said;
  }
  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.closest('[hidden]')) { form.reset(); apply(); target.scrollIntoView(); }
  }
  form.addEventListener('submit', function (event) { event.preventDefault(); });
  form.addEventListener('input', apply);
  form.addEventListener('reset', function () { setTimeout(apply, 0); });
  window.addEventListener('hashchange', reveal);
  form.hidden = false;
  apply();
})();
